/* gatherv/binomial
 * Idea     pairs of ranks, then pairs of pairs, … join their blocks; an empty part of the tree is not sent
 * Rounds   ⌈lg p⌉
 * Cost     each message alpha and its blocks × beta, one after the other at each rank of the tree; exact. Blocks of one length and p a
 *          power of two: lg p alpha + (p-1) m beta          m = bytes of a block
 * Needs    any p, any root, any counts, which all ranks know
 * Scratch  the blocks of its part of the tree at ranks with children; all blocks at a root that is not rank 0
 * Source   as gather/binomial, with counts
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0; rank 1 has two elements
 *  start   a        bb       c        d
 *  1       abb      -        cd       -             1 → 0, 3 → 2
 *  2       abbcd    -        -        -             2 → 0
 */
#include "patterns/rank_block.h"
#include "primitives/tree_here.h"

/* Elements that the subtree of virtual rank v gathers. */
static size_t gathered(const coll_args *a, int v) {
  return coll_following_blocks(a, (a->root + v) % a->size, coll_tree_span(v, a->size));
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, v = (c->rank - a->root + p) % p;
  size_t own = coll_rank_block(a, c->rank).count, all = gathered(a, v);
  if (!all) return;
  coll_tree t = coll_tree_here(c, COLL_TREE_IN_ORDER_BINOMIAL, 0, a->root);
  if (!t.children && t.parent >= 0) {
    coll_send(c, a->in, own, t.parent);
    return;
  }
  /* Blocks lie in the order of virtual ranks; only from rank 0 on is that the order of the result. */
  void *hold = v == 0 && a->root == 0 ? a->out : coll_scratch(c, all);
  coll_copy(c, hold, a->in, own);
  for (int i = 0; i < t.children; i++) {
    int child = (t.child[i] - a->root + p) % p;
    size_t n = gathered(a, child);
    if (n) coll_recv(c, coll_at(c, hold, coll_following_blocks(a, c->rank, child - v)), n, t.child[i]);
  }
  if (v) {
    coll_send(c, hold, all, t.parent);
  } else if (a->root) {
    size_t before = coll_rank_block(a, a->root).first;
    coll_copy(c, coll_at(c, a->out, before), hold, all - before);
    coll_copy(c, a->out, coll_at(c, hold, all - before), before);
  }
}

/* When virtual rank v has all of its subtree: its children come one after the other, the nearest first. */
static double ready(const coll_args *a, int v, double alpha, double beta) {
  double time = 0;
  int span = coll_tree_span(v, a->size);
  for (int distance = 1; distance < span; distance *= 2) {
    size_t n = gathered(a, v + distance);
    if (!n) continue;
    double child = ready(a, v + distance, alpha, beta);
    time = (child > time ? child : time) + alpha + (double)(n * a->elem) * beta;
  }
  return time;
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) { return ready(a, 0, alpha, beta); }

static bool exact(const coll_args *a) { return true; }

const coll_alg gatherv_binomial = {
  .key = "gatherv/binomial",
  .collective = COLL_GATHERV,
  .summary = "binomial tree, blocks joined on the way",
  .source = "Open MPI, coll/tuned gather, with counts",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
