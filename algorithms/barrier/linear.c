/* barrier/linear
 * Idea     everybody tells rank 0, which, when all have come, tells everybody
 * Rounds   2 (p-1)
 * Cost     2 (p-1) alpha          exact
 * Needs    any p
 * Scratch  none
 * Source   Open MPI's coll/tuned barrier 1
 *
 *          rank 0   rank 1   rank 2        who is known to have come
 *  start   0        1        2
 *  1-2     012      1        2             1 → 0, 2 → 0
 *  3-4     012      012      012           0 → 1, 0 → 2
 */
#include "primitives/signal.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  if (c->rank) {
    coll_signal(c, 0);
    coll_hear(c, 0);
    return;
  }
  coll_req *coming = coll_keep(c, (size_t)p * sizeof *coming);
  for (int from = 1; from < p; from++) coming[from - 1] = coll_irecv(c, NULL, 0, from);
  coll_waitall(c, p - 1, coming);
  for (int to = 1; to < p; to++) coll_signal(c, to);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) { return 2 * (a->size - 1) * alpha; }

static bool exact(const coll_args *a) { return true; }

const coll_alg barrier_linear = {
  .key = "barrier/linear",
  .collective = COLL_BARRIER,
  .summary = "everybody tells rank 0, which tells everybody",
  .source = "Open MPI, coll/tuned",
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 1 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
