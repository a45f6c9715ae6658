/* barrier/recursive_doubling
 * Idea     exchange signals at distance 1, 2, 4, …; with p no power of two the last ranks report to the first before,
 *          and are set free by them afterwards
 * Rounds   lg p' with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     as many alpha          exact
 * Needs    any p
 * Scratch  none
 * Source   Open MPI's coll/tuned barrier 3
 *
 *          rank 0   rank 1   rank 2        who is known to have come
 *  start   0        1        2
 *  before  02       1        2             2 → 0
 *  1       012      012      2             0 ↔ 1
 *  after   012      012      012           0 → 2
 */
#include "primitives/doubling_barrier.h"

static void run(coll_ctx *c, const coll_args *a) { coll_doubling_barrier(c, false); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_EVEN);
  return (f.lg + (f.extra ? 2 : 0)) * alpha;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg barrier_recursive_doubling = {
  .key = "barrier/recursive_doubling",
  .collective = COLL_BARRIER,
  .summary = "exchange signals at distance 1, 2, 4, …",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 3 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
