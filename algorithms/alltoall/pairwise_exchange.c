/* alltoall/pairwise_exchange
 * Idea     for a power of two of ranks: in step i swap blocks with the rank whose number differs in the bits of i. For
 *          others as alltoall/pairwise
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact
 * Needs    any p, any count, two buffers
 * Scratch  none
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; MPICH's pairwise
 *
 *          rank 0        rank 1        rank 2        rank 3           ab: a's block for b
 *  start   00 01 02 03   10 11 12 13   20 21 22 23   30 31 32 33
 *  1       00 10 .. ..   01 11 .. ..   .. .. 22 32   .. .. 23 33      0 ↔ 1, 2 ↔ 3
 *  2       00 10 20 ..   01 11 .. 31   02 .. 22 32   .. 13 23 33      0 ↔ 2, 1 ↔ 3
 *  3       00 10 20 30   01 11 21 31   02 12 22 32   03 13 23 33      0 ↔ 3, 1 ↔ 2
 */
#include "patterns/lg.h"
#include "primitives/exchange.h"

static const char *supports(const coll_args *a) {
  return a->in_place ? "needs two buffers; MPICH takes alltoall/swap_in_order instead" : NULL;
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  size_t m = a->count, own = (size_t)c->rank * m;
  bool cube = coll_is_power_of_two(p);
  if (!m) return;
  coll_copy(c, coll_at(c, a->out, own), coll_at(c, a->in, own), m);
  for (int step = 1; step < p; step++) {
    int to = cube ? c->rank ^ step : (c->rank + step) % p, from = cube ? to : (c->rank + p - step) % p;
    coll_sendrecv(c, coll_at(c, a->in, (size_t)to * m), m, to, coll_at(c, a->out, (size_t)from * m), m, from);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_exchange_cost(a, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg alltoall_pairwise_exchange = {
  .key = "alltoall/pairwise_exchange",
  .collective = COLL_ALLTOALL,
  .summary = "swap with one partner per step, whose number differs in the step's bits",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521; MPICH",
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
