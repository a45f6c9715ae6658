/* alltoall/two_proc
 * Idea     two ranks swap
 * Rounds   1
 * Cost     alpha + m beta          m = bytes of a block; exact
 * Needs    p = 2, any count, two buffers
 * Scratch  none
 * Source   Open MPI's coll/tuned alltoall 5
 *
 *          rank 0     rank 1        ab: a's block for b
 *  start   00 01      10 11
 *  1       00 10      01 11         0 ↔ 1
 */
#include "primitives/exchange.h"

static const char *supports(const coll_args *a) { return a->size == 2 ? coll_exchange_supports(a) : "needs two ranks"; }

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count, own = (size_t)c->rank * m, other = m - own;
  if (!m) return;
  int partner = 1 - c->rank;
  coll_sendrecv(c, coll_at(c, a->in, other), m, partner, coll_at(c, a->out, other), m, partner);
  coll_copy(c, coll_at(c, a->out, own), coll_at(c, a->in, own), m);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_exchange_cost(a, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg alltoall_two_proc = {
  .key = "alltoall/two_proc",
  .collective = COLL_ALLTOALL,
  .summary = "two ranks swap blocks",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 5 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
