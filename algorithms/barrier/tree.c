/* barrier/tree
 * Idea     up a binomial tree, then down
 * Rounds   2 ⌈lg p⌉
 * Cost     2 ⌈lg p⌉ alpha          exact
 * Needs    any p
 * Scratch  none
 * Source   Open MPI's coll/tuned barrier 6
 *
 *          rank 0   rank 1   rank 2   rank 3        who is known to have come
 *  start   0        1        2        3
 *  1       01       1        23       3             1 → 0, 3 → 2
 *  2       0123     1        23       3             2 → 0
 *  3       0123     1        0123     3             0 → 2
 *  4       0123     0123     0123     0123          0 → 1, 2 → 3
 */
#include "patterns/lg.h"
#include "primitives/signal.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, distance = 1;
  for (; distance < p && !(c->rank & distance); distance *= 2)
    if (c->rank + distance < p) coll_hear(c, c->rank + distance);
  if (c->rank) { /* distance is now the lowest bit of the rank, and so the way to its parent */
    coll_signal(c, c->rank - distance);
    coll_hear(c, c->rank - distance);
  }
  for (distance /= 2; distance; distance /= 2)
    if (c->rank + distance < p) coll_signal(c, c->rank + distance);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return 2 * coll_lg_up(a->size) * alpha;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg barrier_tree = {
  .key = "barrier/tree",
  .collective = COLL_BARRIER,
  .summary = "up a binomial tree, then down",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 6 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
