/* allgather/two_proc
 * Idea     two ranks swap their blocks
 * Rounds   1
 * Cost     alpha + m beta          m = bytes of a block; exact
 * Needs    p = 2, any count
 * Scratch  none
 * Source   Open MPI's coll/tuned allgather 6
 *
 *          rank 0   rank 1
 *  start   a.       .b
 *  1       ab       ab            0 ↔ 1
 */
#include "collscope.h"

static const char *supports(const coll_args *a) { return a->size == 2 ? NULL : "needs two ranks"; }

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count;
  if (!m) return;
  int other = 1 - c->rank;
  coll_sendrecv(c, a->in, m, other, coll_at(c, a->out, (size_t)other * m), m, other);
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? alpha + (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgather_two_proc = {
  .key = "allgather/two_proc",
  .collective = COLL_ALLGATHER,
  .summary = "two ranks swap their blocks",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 6 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
