/* allgatherv/bucket
 * Idea     pass on, to the right, the block received last: a ring of neighbours
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of the longest block, whose way around the ring is the longest path; exact
 * Needs    any p, any counts; empty blocks travel as empty messages
 * Scratch  none
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Open MPI's coll/tuned allgatherv 3 (ring)
 *
 *          rank 0   rank 1   rank 2           rank 1 has two elements
 *  start   a...     .bb.     ...c
 *  1       a..c     abb.     .bbc
 *  2       abbc     abbc     abbc
 */
#include "patterns/rank_block.h"
#include "primitives/ring.h"

static coll_span block(const void *how, int i) { return coll_rank_block(how, i); }

static void run(coll_ctx *c, const coll_args *a) {
  if (!coll_all_blocks(a)) return;
  coll_span own = coll_rank_block(a, c->rank);
  coll_copy(c, coll_at(c, a->out, own.first), a->in, own.count);
  coll_ring_allgather(c, a->out, c->rank, (coll_cut){ block, a });
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_all_blocks(a) ? (a->size - 1) * (alpha + (double)(coll_rank_block_max(a) * a->elem) * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgatherv_bucket = {
  .key = "allgatherv/bucket",
  .collective = COLL_ALLGATHERV,
  .summary = "pass blocks around a ring of neighbours",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
