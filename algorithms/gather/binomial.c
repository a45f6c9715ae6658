/* gather/binomial
 * Idea     pairs of ranks, then pairs of pairs, … join their blocks
 * Rounds   ⌈lg p⌉
 * Cost     lg p alpha + (p-1) m beta          m = bytes of a block; exact for p a power of two
 * Needs    any p, any root, any count
 * Scratch  the blocks of its part of the tree at ranks with children; all blocks at a root that is not rank 0
 * Source   Open MPI's coll/tuned gather 2
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   a        b        c        d
 *  1       ab       -        cd       -             1 → 0, 3 → 2
 *  2       abcd     -        -        -             2 → 0
 */
#include "collscope.h"
#include "patterns/lg.h"
#include "primitives/tree_here.h"
#include "primitives/turn.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  int p = c->size, v = (c->rank - a->root + p) % p, span = coll_tree_span(v, p);
  size_t m = a->count;
  coll_tree t = coll_tree_here(c, COLL_TREE_IN_ORDER_BINOMIAL, 0, a->root);
  if (!t.children && t.parent >= 0) {
    coll_send(c, a->in, m, t.parent);
    return;
  }
  /* Blocks lie in the order of virtual ranks; only from rank 0 on is that the order of the result. */
  void *hold = v == 0 && a->root == 0 ? a->out : coll_scratch(c, (size_t)span * m);
  coll_copy(c, hold, a->in, m);
  for (int i = 0; i < t.children; i++) {
    int child = (t.child[i] - a->root + p) % p;
    coll_recv(c, coll_at(c, hold, (size_t)(child - v) * m), (size_t)coll_tree_span(child, p) * m, t.child[i]);
  }
  if (v) {
    coll_send(c, hold, (size_t)span * m, t.parent);
  } else {
    coll_turn(c, a->out, hold, m, a->root);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_lg_up(a->size) * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of_two(a->size); }

const coll_alg gather_binomial = {
  .key = "gather/binomial",
  .collective = COLL_GATHER,
  .summary = "binomial tree, blocks joined on the way",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 2 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
