/* barrier/dissemination
 * Idea     in step i signal the rank 2^i to the right and hear from the one 2^i to the left
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ alpha          exact; the bound
 * Needs    any p
 * Scratch  none
 * Source   Hensgen, Finkel, Manber 1988, Int. J. Parallel Programming 17; Open MPI's coll/tuned barrier 4 ("bruck")
 *
 *          rank 0   rank 1   rank 2        who is known to have come
 *  start   0        1        2
 *  1       20       01       12            each to its right neighbour
 *  2       012      012      012           each to the second on the right
 */
#include "patterns/lg.h"
#include "primitives/signal.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  for (int distance = 1; distance < p; distance *= 2)
    coll_signal_and_hear(c, (c->rank + distance) % p, (c->rank + p - distance) % p);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) { return coll_lg_up(a->size) * alpha; }

static bool exact(const coll_args *a) { return true; }

const coll_alg barrier_dissemination = {
  .key = "barrier/dissemination",
  .collective = COLL_BARRIER,
  .summary = "signal to the right at distance 1, 2, 4, …",
  .source = "Hensgen, Finkel, Manber 1988, Int. J. Parallel Programming 17",
  .twin = { "Open MPI", 4 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
