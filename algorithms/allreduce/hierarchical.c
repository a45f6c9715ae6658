/* allreduce/hierarchical[levels]
 * Idea     reduce to the leaders up the machine's levels, allreduce among the leaders at the top, broadcast down; minimum
 *          spanning trees within a level, recursive doubling at the top
 * Rounds   2 ⌈lg g⌉ for the largest group g of each level, and those of allreduce/recursive_doubling at the top
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any count; an operator that does not commute needs groups of consecutive ranks
 * Scratch  one vector at a leader, up to two at a rank that passes partial sums on
 * Source   Cheetah (levels and schedule)
 *
 *           ranks 0 1 on one node, 2 3 on another; levels=node
 *           rank 0   rank 1   rank 2   rank 3
 *  start    a        b        c        d
 *  reduce   ab       b        cd       d             1 → 0, 3 → 2
 *  top      abcd     b        abcd     d             0 ↔ 2
 *  bcast    abcd     abcd     abcd     abcd          0 → 1, 2 → 3
 */
#include "primitives/hierarchy.h"
#include "primitives/mst.h"

extern const coll_alg allreduce_recursive_doubling;

static const char *supports(const coll_args *a) { return a->commutes ? NULL : coll_hierarchy_ordered(a, a->param[0]); }

static void *prepare(coll_ctx *c, const coll_args *a) { return coll_hierarchy_make(c, a->param[0]); }

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  coll_hierarchy *h = a->prepared;
  const void *sum = a->in;
  int top = h->groups - 1;
  for (int l = 0; l < h->mine && l < top; l++) {
    coll_ctx *g = &h->group[l].ctx;
    coll_mst_reduce(g, sum, g->rank ? NULL : a->out, n, 0, COLL_MST_FIRST, a->commutes);
    sum = a->out;
  }
  if (h->mine > top) {
    coll_args among = *a;
    among.size = h->group[top].ctx.size;
    among.in = sum;
    among.in_place = sum == a->out;
    allreduce_recursive_doubling.run(&h->group[top].ctx, &among);
  }
  for (int l = top; l-- > 0;)
    if (l < h->mine) coll_mst_bcast(&h->group[l].ctx, a->out, n, 0, COLL_MST_FIRST);
}

static const coll_param params[] = { COLL_LEVELS_PARAM, { .name = NULL } };

const coll_alg allreduce_hierarchical = {
  .key = "allreduce/hierarchical",
  .collective = COLL_ALLREDUCE,
  .summary = "reduce up the machine's levels, recursive doubling at the top, broadcast down",
  .source = "Cheetah",
  .params = params,
  .flags = COLL_PLACES,
  .supports = supports,
  .prepare = prepare,
  .run = run,
};
