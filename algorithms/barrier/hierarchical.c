/* barrier/hierarchical[levels,k,shm]
 * Idea     fan-in up the levels of the machine, recursive k-ing among the leaders at the top, fan-out down the levels
 * Rounds   for each level the depth of its tree up and down, and those of barrier/recursive_king at the top
 * Cost     no closed form: depends on who sits where
 * Needs    any p; shm=1 needs a group whose ranks share a node
 * Scratch  none; shm=1: a cache line of flags for each rank and signal
 * Source   Cheetah (n-level hierarchical barrier)
 *
 *          ranks 0 1 2 on one node, 3 4 5 on another; levels=node, k = 4: who has been heard of
 *          rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
 *  start   a        b        c        d        e        f
 *  in      abc      b        c        def      e        f          1 → 0, 2 → 0, 4 → 3, 5 → 3
 *  top     abcdef   b        c        abcdef   e        f          0 ↔ 3
 *  out     abcdef   abcdef   abcdef   abcdef   abcdef   abcdef     0 → 1, 0 → 2, 3 → 4, 3 → 5
 */
#include "primitives/hierarchy.h"

enum { LEVELS, K, SHM };

static const char *supports(const coll_args *a) {
  if (!a->param[SHM] || a->param[LEVELS]) return NULL;
  for (int r = 1; r < a->size; r++)
    if (a->place[r].node != a->place[0].node) return "shm=1 with levels=flat needs all ranks on one node; name a level";
  return NULL;
}

static void *prepare(coll_ctx *c, const coll_args *a) {
  coll_hierarchy *h = coll_hierarchy_make(c, a->param[LEVELS]);
  for (int l = 0; l < h->mine && a->param[SHM]; l++) coll_group_share(&h->group[l], (int)a->param[K]);
  return h;
}

/* The schedule. */
static void run(coll_ctx *c, const coll_args *a) {
  coll_hierarchy *h = a->prepared;
  int k = (int)a->param[K], top = h->groups - 1;
  for (int l = 0; l < h->mine; l++) coll_group_enter(&h->group[l]);
  for (int l = 0; l < h->mine && l < top; l++) coll_fan_in(&h->group[l], k);
  if (h->mine > top) coll_recursive_king(&h->group[top], k);
  for (int l = top; l-- > 0;)
    if (l < h->mine) coll_fan_out(&h->group[l], k);
}

static const coll_param params[] = {
  COLL_LEVELS_PARAM,
  COLL_RADIX_PARAM,
  { .name = "shm", .value = 0, .max = 1, .help = "1: ranks of a node signal by flags in shared memory" },
  { .name = NULL },
};

const coll_alg barrier_hierarchical = {
  .key = "barrier/hierarchical",
  .collective = COLL_BARRIER,
  .summary = "fan-in up the machine's levels, recursive k-ing at the top, fan-out down",
  .source = "Cheetah",
  .params = params,
  .flags = COLL_SEGMENTS | COLL_PLACES,
  .ports = COLL_PORTS_MANY,
  .supports = supports,
  .prepare = prepare,
  .run = run,
};
