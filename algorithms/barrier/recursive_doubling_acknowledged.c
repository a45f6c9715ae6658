/* barrier/recursive_doubling_acknowledged
 * Idea     recursive doubling in which ranks that set others free, where p is no power of two, leave only when these have answered: as
 *          Open MPI's does, whose synchronous sends wait for the library's own acknowledgement
 * Rounds   lg p' with p' = 2^⌊lg p⌋; 3 more when p is no power of two
 * Cost     as many alpha          exact
 * Needs    any p
 * Scratch  none
 * Source   Open MPI, coll/base: recursive doubling with MCA_PML_BASE_SEND_SYNCHRONOUS in its last step
 *
 *          rank 0   rank 1   rank 2        who is known to have come
 *  start   0        1        2
 *  before  02       1        2             2 → 0
 *  1       012      012      2             0 ↔ 1
 *  after   012      012      012           0 → 2
 *  answer  012      012      012           2 → 0
 */
#include "primitives/doubling_barrier.h"

static void run(coll_ctx *c, const coll_args *a) { coll_doubling_barrier(c, true); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_EVEN);
  return (f.lg + (f.extra ? 3 : 0)) * alpha;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg barrier_recursive_doubling_acknowledged = {
  .key = "barrier/recursive_doubling_acknowledged",
  .collective = COLL_BARRIER,
  .summary = "recursive doubling, an answer to the signal that sets a rank free",
  .source = "Open MPI, coll/base",
  .run = run,
  .cost = cost,
  .exact = exact,
};
