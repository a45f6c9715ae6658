/* scatter/binomial
 * Idea     the root sends half of the blocks to one rank, which scatters them; and so on with the other half
 * Rounds   ⌈lg p⌉
 * Cost     lg p alpha + (p-1) m beta          m = bytes of a block; exact for p a power of two
 * Needs    any p, any root, any count
 * Scratch  the blocks of its part of the tree at ranks with children; all blocks at a root that is not rank 0
 * Source   Alessio; Open MPI's coll/tuned scatter 2
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   abcd     .        .        .
 *  1       ab       .        cd       .             0 → 2
 *  2       a        b        c        d             0 → 1, 2 → 3
 */
#include "collscope.h"
#include "patterns/lg.h"
#include "primitives/tree_here.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  int p = c->size, v = (c->rank - a->root + p) % p, span = coll_tree_span(v, p);
  size_t m = a->count;
  coll_tree t = coll_tree_here(c, COLL_TREE_IN_ORDER_BINOMIAL, 0, a->root);
  if (!t.children && t.parent >= 0) {
    coll_recv(c, a->out, m, t.parent);
    return;
  }
  /* Blocks lie in the order of virtual ranks; only from rank 0 on is that the order of the root's. */
  const void *hold = a->in;
  if (v || a->root) {
    void *turned = coll_scratch(c, (size_t)span * m);
    if (v) {
      coll_recv(c, turned, (size_t)span * m, t.parent);
    } else {
      size_t before = (size_t)a->root * m, after = (size_t)(p - a->root) * m;
      coll_copy(c, coll_at(c, turned, after), a->in, before);
      coll_copy(c, turned, coll_at(c, a->in, before), after);
    }
    hold = turned;
  }
  if (v || !a->in_place) coll_copy(c, a->out, hold, m);
  for (int i = t.children - 1; i >= 0; i--) {
    int child = (t.child[i] - a->root + p) % p;
    coll_send(c, coll_at(c, hold, (size_t)(child - v) * m), (size_t)coll_tree_span(child, p) * m, t.child[i]);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_lg_up(a->size) * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of_two(a->size); }

const coll_alg scatter_binomial = {
  .key = "scatter/binomial",
  .collective = COLL_SCATTER,
  .summary = "binomial tree, half of the blocks passed on at a time",
  .source = "Alessio",
  .twin = { "Open MPI", 2 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
