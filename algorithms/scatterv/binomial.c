/* scatterv/binomial
 * Idea     the root sends half of the blocks to one rank, which scatters them; and so on with the other half. An empty part of the
 *          tree is not sent to
 * Rounds   ⌈lg p⌉
 * Cost     each message alpha and its blocks × beta, one after the other at each rank of the tree; exact. Blocks of one length and p a
 *          power of two: lg p alpha + (p-1) m beta          m = bytes of a block
 * Needs    any p, any root, any counts, which all ranks know
 * Scratch  the blocks of its part of the tree at ranks with children; all blocks at a root that is not rank 0
 * Source   as scatter/binomial, with counts
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0; rank 1 gets two elements
 *  start   abbcd    .        .        .
 *  1       abb      .        cd       .             0 → 2
 *  2       a        bb       c        d             0 → 1, 2 → 3
 */
#include "patterns/rank_block.h"
#include "primitives/tree_here.h"

/* Elements for the subtree of virtual rank v. */
static size_t scattered(const coll_args *a, int v) {
  return coll_following_blocks(a, (a->root + v) % a->size, coll_tree_span(v, a->size));
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, v = (c->rank - a->root + p) % p;
  size_t own = coll_rank_block(a, c->rank).count, all = scattered(a, v);
  if (!all) return;
  coll_tree t = coll_tree_here(c, COLL_TREE_IN_ORDER_BINOMIAL, 0, a->root);
  if (!t.children && t.parent >= 0) {
    coll_recv(c, a->out, own, t.parent);
    return;
  }
  /* Blocks lie in the order of virtual ranks; only from rank 0 on is that the order of the root's. */
  const void *hold = a->in;
  if (v || a->root) {
    void *turned = coll_scratch(c, all);
    if (v) {
      coll_recv(c, turned, all, t.parent);
    } else {
      size_t before = coll_rank_block(a, a->root).first;
      coll_copy(c, coll_at(c, turned, all - before), a->in, before);
      coll_copy(c, turned, coll_at(c, a->in, before), all - before);
    }
    hold = turned;
  }
  if (v || !a->in_place) coll_copy(c, a->out, hold, own);
  for (int i = t.children - 1; i >= 0; i--) {
    int child = (t.child[i] - a->root + p) % p;
    size_t n = scattered(a, child);
    if (n) coll_send(c, coll_at(c, hold, coll_following_blocks(a, c->rank, child - v)), n, t.child[i]);
  }
}

/* When the last of virtual rank v's subtree has its block, v having all of it at this time: the farthest child is sent to first. */
static double done(const coll_args *a, int v, double time, double alpha, double beta) {
  double last = time;
  int span = coll_tree_span(v, a->size), distance = 1;
  while (2 * distance < span) distance *= 2;
  for (; distance && distance < span; distance /= 2) {
    size_t n = scattered(a, v + distance);
    if (!n) continue;
    time += alpha + (double)(n * a->elem) * beta;
    double child = done(a, v + distance, time, alpha, beta);
    if (child > last) last = child;
  }
  return last;
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) { return done(a, 0, 0, alpha, beta); }

static bool exact(const coll_args *a) { return true; }

const coll_alg scatterv_binomial = {
  .key = "scatterv/binomial",
  .collective = COLL_SCATTERV,
  .summary = "binomial tree, half of the blocks passed on at a time",
  .source = "Open MPI, coll/tuned scatter, with counts",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
