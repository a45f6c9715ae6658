/* allgather/bruck_locality_aware
 * Idea     a node's ranks exchange their blocks; then, with l ranks on a node, rank j = 1 … l-1 of each fetches from the node j w further on what
 *          its w nodes have, and gives it to the others of its node: w = 1, l, l², … Each byte comes to a node once
 * Rounds   ⌈log_l g⌉ between g nodes, and (1 + ⌈log_l g⌉) (r-1) within a node of r ranks
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any count; two ranks on each node, if there is more than one. Where nodes are uneven, l is the number of ranks of the smallest
 * Scratch  all blocks, if there is more than one node: they lie in the order of nodes from one's own on, and are put in rank order at the
 *          end
 * Source   Bienz, Gautam, Kharel 2022, A locality-aware Bruck allgather, arXiv:2206.03564
 *
 *          ranks 0 1 on one node, 2 3 on another
 *          rank 0   rank 1   rank 2   rank 3
 *  start   a...     .b..     ..c.     ...d
 *  node    ab..     ab..     ..cd     ..cd          0 ↔ 1, 2 ↔ 3
 *  inter   ab..     abcd     ..cd     abcd          1 ↔ 3
 *  node    abcd     abcd     abcd     abcd          1 → 0, 3 → 2
 */
#include "primitives/lanes.h"

static const char *supports(const coll_args *a) {
  coll_grouping nodes;
  coll_grouping_make(&nodes, COLL_LEVEL_NODE, a->size, a->place);
  bool fine = nodes.groups == 1 || coll_smallest_node(&nodes) > 1;
  coll_grouping_free(&nodes);
  return fine ? NULL : "needs two ranks or more on each node; take allgather/bruck";
}

static void *prepare(coll_ctx *c, const coll_args *a) { return coll_lanes_make(c, 0); }

/* Elements of `n` nodes from this rank's own on. */
static size_t elements(const coll_lanes *l, int n, size_t m) {
  size_t ranks = 0;
  for (int i = 0; i < n; i++) {
    const int *first = &l->nodes->first[(l->node + i) % l->nodes->groups];
    ranks += (size_t)(first[1] - first[0]);
  }
  return ranks * m;
}

/* What rank j of the node has fetched, w nodes to each; w = 0: its own block. */
typedef struct {
  const coll_lanes *lanes;
  int w;
  size_t m;
} fetched;

static coll_span fetched_by(const void *how, int j) {
  const fetched *f = how;
  int nodes = f->lanes->nodes->groups, from = j * f->w, to = from + f->w < nodes ? from + f->w : nodes;
  if (!f->w) return (coll_span){ (size_t)j * f->m, f->m };
  if (j == 0 || j >= f->lanes->lanes || from >= nodes) return (coll_span){ 0, 0 };
  size_t first = elements(f->lanes, from, f->m);
  return (coll_span){ first, elements(f->lanes, to, f->m) - first };
}

static void put_in_order(coll_ctx *c, const coll_lanes *l, void *out, const void *hold, size_t m) {
  const coll_grouping *g = l->nodes;
  for (int i = 0; i < g->groups; i++) {
    int node = (l->node + i) % g->groups, end = g->first[node + 1];
    for (int k = g->first[node], n; k < end; k += n) { /* runs of consecutive ranks move at once */
      for (n = 1; k + n < end && g->member[k + n] == g->member[k] + n;) n++;
      coll_copy(c, coll_at(c, out, (size_t)g->member[k] * m), hold, (size_t)n * m);
      hold = coll_at(c, hold, (size_t)n * m);
    }
  }
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count;
  if (!m) return;
  coll_lanes *l = a->prepared;
  int nodes = l->nodes->groups, j = l->within.rank;
  void *hold = nodes == 1 ? a->out : coll_scratch(c, (size_t)c->size * m);
  coll_copy(c, coll_at(c, hold, (size_t)j * m), a->in, m);
  coll_lanes_spread(&l->within, hold, (coll_cut){ fetched_by, &(fetched){ l, 0, m } }, -1);
  for (int w = 1; w < nodes; w *= l->lanes) {
    fetched f = { l, w, m };
    coll_span part = fetched_by(&f, j);
    if (part.count) {
      int away = j * w, give = w < nodes - away ? w : nodes - away;
      coll_sendrecv(&l->across, hold, elements(l, give, m), (l->node + nodes - away) % nodes,
                    coll_at(c, hold, part.first), part.count, (l->node + away) % nodes);
    }
    coll_lanes_spread(&l->within, hold, (coll_cut){ fetched_by, &f }, -1);
  }
  if (nodes > 1) put_in_order(c, l, a->out, hold, m);
}

const coll_alg allgather_bruck_locality_aware = {
  .key = "allgather/bruck_locality_aware",
  .collective = COLL_ALLGATHER,
  .summary = "Bruck among nodes: each rank of a node fetches from another distance, and gives it to the others",
  .source = "Bienz et al. 2022, arXiv:2206.03564",
  .flags = COLL_PLACES,
  .supports = supports,
  .prepare = prepare,
  .run = run,
};
