/* gatherv/linear
 * Idea     the root receives each rank's block, one after the other
 * Rounds   one per rank with a block that is not empty, the root apart
 * Cost     rounds × alpha + all but the root's block × beta; exact
 * Needs    any p, any root, any counts
 * Scratch  none
 * Source   Open MPI's coll/basic gatherv, MPICH's linear: the one algorithm that either has
 *
 *          rank 0   rank 1   rank 2        root 0; rank 1 has two elements
 *  start   a...     bb       c
 *  1       abb.     -        c             1 → 0
 *  2       abbc     -        -             2 → 0
 */
#include "patterns/rank_block.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_span own = coll_rank_block(a, c->rank);
  if (c->rank != a->root) {
    if (own.count) coll_send(c, a->in, own.count, a->root);
    return;
  }
  for (int from = 0; from < c->size; from++) {
    coll_span b = coll_rank_block(a, from);
    void *block = coll_at(c, a->out, b.first);
    if (from == c->rank) coll_copy(c, block, a->in, b.count);
    else if (b.count) coll_recv(c, block, b.count, from);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  size_t come = coll_all_blocks(a) - coll_rank_block(a, a->root).count;
  return coll_rank_blocks_filled(a, a->root) * alpha + (double)(come * a->elem) * beta;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg gatherv_linear = {
  .key = "gatherv/linear",
  .collective = COLL_GATHERV,
  .summary = "the root receives from each rank in turn",
  .source = "Open MPI, coll/basic; MPICH",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
