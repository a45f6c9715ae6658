/* allgather/leaders[per_node,aggregate,inter,placement]
 * Idea     each node has leaders: the blocks of a leader's group are brought together at it, the leaders exchange what they
 *          have, and each gives the result to its group. After `gather` it broadcasts everything; after `ring` or
 *          `recursive_doubling`, which leave the group's blocks at all its ranks, only what is new; with `shm` the group
 *          writes into and reads from a segment of the leader, who copies into and out of it; with `shm_in_place` leaders
 *          exchange the segments' content itself
 * Rounds   those of the three parts: aggregate within the largest group, inter among nodes · per_node leaders, broadcast
 * Cost     no closed form: depends on who sits where
 * Needs    any count; a node (and a socket: see placement) with at least as many ranks as leaders; inter=recursive_doubling
 *          a power of two of leaders, aggregate=recursive_doubling groups of a power of two of ranks
 * Scratch  none where groups are consecutive ranks; else all blocks: they travel in the order of groups and are put in
 *          rank order at the end
 * Source   Kandalla et al. 2009
 *
 *          ranks 0 1 on one node, 2 3 on another; per_node=1, gather, ring
 *             rank 0   rank 1   rank 2   rank 3
 *  start      a...     .b..     ..c.     ...d
 *  aggregate  ab..     .b..     ..cd     ...d        1 → 0, 3 → 2
 *  inter      abcd     .b..     abcd     ...d        0 ↔ 2
 *  bcast      abcd     abcd     abcd     abcd        0 → 1, 2 → 3
 */
#include <stdlib.h>

#include "patterns/leaders.h"
#include "patterns/lg.h"
#include "primitives/allgather_blocks.h"
#include "primitives/leader_buffer.h"
#include "primitives/mst.h"

enum { PER_NODE, AGGREGATE, INTER, PLACEMENT };
enum { GATHER, AGGREGATE_DOUBLING, AGGREGATE_RING, SHM, SHM_IN_PLACE };
enum { INTER_DOUBLING, INTER_RING };

typedef struct {
  coll_leaders groups;
  int group;         /* this rank's */
  coll_group within; /* rank 0 leads */
  coll_ctx among;
  bool in_order; /* groups are consecutive ranks */
} state;

static const char *make(coll_leaders *l, const coll_args *a) {
  return coll_leaders_make(l, a->size, a->place, (int)a->param[PER_NODE], a->param[PLACEMENT]);
}

static const char *supports(const coll_args *a) {
  coll_leaders l = { .first = malloc(sizeof(int) * (2 * (size_t)a->size + 1)) };
  if (!l.first) abort();
  l.member = l.first + a->size + 1;
  const char *wrong = make(&l, a);
  if (!wrong && a->param[INTER] == INTER_DOUBLING && !coll_is_power_of_two(l.groups))
    wrong = "inter=recursive_doubling needs a power of two of leaders; take inter=ring";
  for (int g = 0; g < l.groups && !wrong && a->param[AGGREGATE] == AGGREGATE_DOUBLING; g++)
    if (!coll_is_power_of_two(l.first[g + 1] - l.first[g]))
      wrong = "aggregate=recursive_doubling needs groups of a power of two of ranks; take aggregate=ring";
  free(l.first);
  return wrong;
}

static void *prepare(coll_ctx *c, const coll_args *a) {
  state *s = coll_keep(c, sizeof *s);
  *s = (state){ .groups = { .first = coll_keep(c, sizeof(int) * ((size_t)c->size + 1)),
                            .member = coll_keep(c, sizeof(int) * (size_t)c->size) },
                .in_order = true };
  coll_leaders *l = &s->groups;
  make(l, a);
  int *leader = coll_keep(c, sizeof(int) * (size_t)l->groups);
  for (int g = 0; g < l->groups; g++) {
    leader[g] = l->member[l->first[g]];
    for (int i = l->first[g]; i < l->first[g + 1]; i++) {
      if (l->member[i] == c->rank) s->group = g;
      s->in_order &= l->member[i] == i;
    }
  }
  int size = l->first[s->group + 1] - l->first[s->group];
  coll_sub(c, 1, l->member + l->first[s->group], size, &s->within.ctx);
  coll_sub(c, 2, leader, l->groups, &s->among);
  size_t n = (size_t)c->size * a->count;
  if (a->param[AGGREGATE] == SHM) coll_leader_buffer_open(&s->within, a->count, n);
  if (a->param[AGGREGATE] == SHM_IN_PLACE) coll_leader_result_open(&s->within, n);
  return s;
}

/* own: this group's blocks. */
static void aggregate(state *s, const coll_args *a, void *own) {
  coll_ctx *g = &s->within.ctx;
  size_t m = a->count, n = (size_t)g->size * m;
  switch (a->param[AGGREGATE]) {
    case GATHER:
      coll_mst_gather(g, coll_at(g, own, coll_mst_held(g, n, 0, COLL_MST_FIRST).first), n, 0, COLL_MST_FIRST);
      return;
    case AGGREGATE_DOUBLING: coll_blocks_doubling(g, own, m, NULL); return;
    case AGGREGATE_RING: coll_blocks_ring(g, own, m, NULL); return;
    case SHM: coll_leader_buffer_collect(&s->within, a->in, own, m); return;
  }
}

static void distribute(state *s, const coll_args *a, void *all, size_t before, size_t own) {
  coll_ctx *g = &s->within.ctx;
  size_t n = (size_t)a->size * a->count, after = before + own;
  if (a->param[AGGREGATE] == SHM) {
    coll_leader_buffer_distribute(&s->within, all, n, a->count);
  } else if (a->param[AGGREGATE] == SHM_IN_PLACE) {
    coll_leader_result_fetch(&s->within, all, n);
  } else if (a->param[AGGREGATE] == GATHER) {
    coll_mst_bcast(g, all, n, 0, COLL_MST_FIRST);
  } else {
    if (before) coll_mst_bcast(g, all, before, 0, COLL_MST_FIRST);
    if (after < n) coll_mst_bcast(g, coll_at(g, all, after), n - after, 0, COLL_MST_FIRST);
  }
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count;
  if (!m) return;
  state *s = a->prepared;
  const coll_leaders *l = &s->groups;
  const coll_ctx *g = &s->within.ctx;
  void *all = s->in_order ? a->out : coll_scratch(c, (size_t)c->size * m);
  size_t before = (size_t)l->first[s->group] * m, own = (size_t)g->size * m;
  bool in_place = a->param[AGGREGATE] == SHM_IN_PLACE && s->within.seg;
  void *result = in_place ? coll_leader_result_collect(&s->within, a->in, (size_t)c->size * m, before, m) : all;
  if (!in_place) {
    if (g->rank == 0 || !s->within.seg) coll_copy(c, coll_at(c, all, before + (size_t)g->rank * m), a->in, m);
    aggregate(s, a, coll_at(c, all, before));
  }
  if (g->rank == 0)
    (a->param[INTER] == INTER_RING ? coll_blocks_ring : coll_blocks_doubling)(&s->among, result, m, l->first);
  distribute(s, a, all, before, own);
  if (s->in_order) return;
  for (int i = 0, n; i < c->size; i += n) { /* runs of consecutive ranks move at once */
    for (n = 1; i + n < c->size && l->member[i + n] == l->member[i] + n;) n++;
    coll_copy(c, coll_at(c, a->out, (size_t)l->member[i] * m), coll_at(c, all, (size_t)i * m), (size_t)n * m);
  }
}

static const char *const aggregates[] = { "gather", "recursive_doubling", "ring", "shm", "shm_in_place" };
static const char *const inters[] = { "recursive_doubling", "ring" };
static const char *const placements[] = { "per_socket", "one_socket" };

static const coll_param params[] = {
  [PER_NODE] = { .name = "per_node", .value = 1, .min = 1, .max = 64, .help = "leaders on each node" },
  [AGGREGATE] = { .name = "aggregate",
                  .value = GATHER,
                  .max = SHM_IN_PLACE,
                  .words = aggregates,
                  .help = "how a leader gets its group's blocks" },
  [INTER] = { .name = "inter",
              .value = INTER_RING,
              .max = INTER_RING,
              .words = inters,
              .help = "the leaders' exchange" },
  [PLACEMENT] = { .name = "placement",
                  .value = 0,
                  .max = 1,
                  .words = placements,
                  .help = "leaders spread over a node's sockets, or all on its first" },
  { .name = NULL },
};

const coll_alg allgather_leaders = {
  .key = "allgather/leaders",
  .collective = COLL_ALLGATHER,
  .summary = "leaders on each node gather from their groups, exchange, and distribute",
  .source = "Kandalla et al. 2009, Designing Multi-Leader-Based Allgather Algorithms for Multi-Core Clusters",
  .params = params,
  .flags = COLL_SEGMENTS | COLL_PLACES,
  .supports = supports,
  .prepare = prepare,
  .run = run,
};
