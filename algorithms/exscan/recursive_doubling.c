/* exscan/recursive_doubling
 * Idea     exchange the sums of ever larger groups at distance 1, 2, 4, …; what comes from lower ranks makes the result
 * Rounds   ⌈lg p⌉
 * Cost     lg p (alpha + n beta) + (2 lg p - 2) n gamma          n = bytes; exact for p a power of two
 * Needs    any p, any count; keeps the rank order
 * Scratch  two vectors
 * Source   Open MPI's coll/tuned exscan 2
 *
 *          rank 0   rank 1   rank 2   rank 3        results
 *  start   -        -        -        -
 *  1       -        a        -        c             0 ↔ 1, 2 ↔ 3: groups ab, cd
 *  2       -        a        ab       abc           0 ↔ 2, 1 ↔ 3
 */
#include "patterns/lg.h"
#include "primitives/prefix.h"

static void run(coll_ctx *c, const coll_args *a) { coll_prefix(c, a->in, a->out, a->count, false); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double n = (double)(a->count * a->elem), lg = coll_lg_up(a->size);
  return a->count && a->size > 1 ? lg * (alpha + n * beta) + (2 * lg - 2) * n * gamma : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of_two(a->size); }

const coll_alg exscan_recursive_doubling = {
  .key = "exscan/recursive_doubling",
  .collective = COLL_EXSCAN,
  .summary = "exchange sums of groups at distance 1, 2, 4, …",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 2 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
