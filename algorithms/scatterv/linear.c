/* scatterv/linear
 * Idea     the root sends each rank its block, one after the other
 * Rounds   one per rank with a block that is not empty, the root apart
 * Cost     rounds × alpha + all but the root's block × beta; exact
 * Needs    any p, any root, any counts
 * Scratch  none
 * Source   Open MPI's coll/basic scatterv, MPICH's linear: the one algorithm that either has
 *
 *          rank 0   rank 1   rank 2        root 0; rank 1 gets two elements
 *  start   abbc     ..       .
 *  1       abbc     bb       .             0 → 1
 *  2       abbc     bb       c             0 → 2
 */
#include "patterns/rank_block.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_span own = coll_rank_block(a, c->rank);
  if (c->rank != a->root) {
    if (own.count) coll_recv(c, a->out, own.count, a->root);
    return;
  }
  for (int to = 0; to < c->size; to++) {
    coll_span b = coll_rank_block(a, to);
    const void *block = coll_at(c, a->in, b.first);
    if (to == c->rank) coll_copy(c, a->out, block, b.count);
    else if (b.count) coll_send(c, block, b.count, to);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  size_t leave = coll_all_blocks(a) - coll_rank_block(a, a->root).count;
  return coll_rank_blocks_filled(a, a->root) * alpha + (double)(leave * a->elem) * beta;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg scatterv_linear = {
  .key = "scatterv/linear",
  .collective = COLL_SCATTERV,
  .summary = "the root sends to each rank in turn",
  .source = "Open MPI, coll/basic; MPICH",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
