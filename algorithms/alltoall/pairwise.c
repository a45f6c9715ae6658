/* alltoall/pairwise
 * Idea     in step i send to the i-th rank on the right and receive from the i-th on the left
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact
 * Needs    any p, any count, two buffers
 * Scratch  none
 * Source   Open MPI's coll/tuned alltoall 2
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b
 *  start   00 01 02      10 11 12      20 21 22
 *  1       00 .. 20      01 11 ..      .. 12 22      0 → 1, 1 → 2, 2 → 0
 *  2       00 10 20      01 11 21      02 12 22      0 → 2, 1 → 0, 2 → 1
 */
#include "primitives/exchange.h"

static const char *supports(const coll_args *a) { return coll_exchange_supports(a); }

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  size_t m = a->count, own = (size_t)c->rank * m;
  if (!m) return;
  for (int step = 1; step < p; step++) {
    int to = (c->rank + step) % p, from = (c->rank + p - step) % p;
    coll_sendrecv(c, coll_at(c, a->in, (size_t)to * m), m, to, coll_at(c, a->out, (size_t)from * m), m, from);
  }
  coll_copy(c, coll_at(c, a->out, own), coll_at(c, a->in, own), m);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_exchange_cost(a, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg alltoall_pairwise = {
  .key = "alltoall/pairwise",
  .collective = COLL_ALLTOALL,
  .summary = "one partner per step, at growing distance",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 2 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
