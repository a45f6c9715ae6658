/* barrier/two_proc
 * Idea     two ranks exchange signals
 * Rounds   1
 * Cost     alpha          exact
 * Needs    p = 2
 * Scratch  none
 * Source   Open MPI's coll/tuned barrier 5
 *
 *          rank 0   rank 1        who is known to have come
 *  start   0        1
 *  1       01       01            0 ↔ 1
 */
#include "primitives/signal.h"

static const char *supports(const coll_args *a) { return a->size == 2 ? NULL : "needs two ranks"; }

static void run(coll_ctx *c, const coll_args *a) { coll_signal_and_hear(c, 1 - c->rank, 1 - c->rank); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) { return alpha; }

static bool exact(const coll_args *a) { return true; }

const coll_alg barrier_two_proc = {
  .key = "barrier/two_proc",
  .collective = COLL_BARRIER,
  .summary = "two ranks exchange signals",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 5 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
