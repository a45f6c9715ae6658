/* alltoall/in_place
 * Idea     swap blocks with the rank at distance i on the right and then with the one on the left, i up to p/2; the
 *          block for the right is set aside, as the one that comes from there takes its place
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact
 * Needs    any p, any count, in place only
 * Scratch  one block
 * Source   what Open MPI's coll/base does in place, whichever algorithm is asked for
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b
 *  start   00 01 02      10 11 12      20 21 22
 *  1       00 10 02      10 11 21      02 21 22      to the left: 0 → 2, 1 → 0, 2 → 1; aside: 01, 12, 20
 *  2       00 10 20      01 11 21      02 12 22      to the right, from aside
 */
#include "primitives/exchange.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  size_t m = a->count;
  if (!m || p < 2) return;
  void *aside = coll_scratch(c, m);
  for (int distance = 1; distance <= p / 2; distance++) {
    int right = (c->rank + distance) % p, left = (c->rank + p - distance) % p;
    void *from_right = coll_at(c, a->out, (size_t)right * m), *from_left = coll_at(c, a->out, (size_t)left * m);
    coll_copy(c, aside, from_right, m);
    coll_req coming = coll_irecv(c, from_right, m, right);
    if (left != right) {
      coll_send(c, from_left, m, left);
      coll_wait(c, &coming);
      coming = coll_irecv(c, from_left, m, left);
    }
    coll_send(c, aside, m, right);
    coll_wait(c, &coming);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_exchange_cost(a, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg alltoall_in_place = {
  .key = "alltoall/in_place",
  .collective = COLL_ALLTOALL,
  .summary = "swap with right and left at growing distance",
  .source = "Open MPI, coll/base",
  .supports = coll_in_place_only,
  .run = run,
  .cost = cost,
  .exact = exact,
};
