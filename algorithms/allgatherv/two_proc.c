/* allgatherv/two_proc
 * Idea     two ranks swap their blocks
 * Rounds   1
 * Cost     alpha + m beta          m = bytes of the longer block; exact
 * Needs    p = 2, any counts
 * Scratch  none
 * Source   Open MPI's coll/tuned allgatherv 5
 *
 *          rank 0   rank 1
 *  start   a..      .bb
 *  1       abb      abb            0 ↔ 1
 */
#include "patterns/rank_block.h"

static const char *supports(const coll_args *a) { return a->size == 2 ? NULL : "needs two ranks"; }

static void run(coll_ctx *c, const coll_args *a) {
  int other = 1 - c->rank;
  coll_span own = coll_rank_block(a, c->rank), theirs = coll_rank_block(a, other);
  if (!coll_all_blocks(a)) return;
  coll_sendrecv(c, a->in, own.count, other, coll_at(c, a->out, theirs.first), theirs.count, other);
  coll_copy(c, coll_at(c, a->out, own.first), a->in, own.count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_all_blocks(a) ? alpha + (double)(coll_rank_block_max(a) * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgatherv_two_proc = {
  .key = "allgatherv/two_proc",
  .collective = COLL_ALLGATHERV,
  .summary = "two ranks swap their blocks",
  .source = "Open MPI, coll/tuned",
  .flags = COLL_ANY_BLOCKS,
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
