/* alltoall/swap_in_order
 * Idea     swap blocks with rank 0, then with rank 1, … each pair of ranks in the order of its lower and then of its
 *          higher rank
 * Rounds   2p-3
 * Cost     (2p-3) (alpha + m beta)          m = bytes of a block; exact
 * Needs    any p, any count, in place only
 * Scratch  one block
 * Source   MPICH's pairwise_sendrecv_replace
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b
 *  start   00 01 02      10 11 12      20 21 22
 *  1       00 10 02      01 11 12      20 21 22      0 ↔ 1
 *  2       00 10 20      01 11 12      02 21 22      0 ↔ 2
 *  3       00 10 20      01 11 21      02 12 22      1 ↔ 2
 */
#include "primitives/exchange.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  size_t m = a->count;
  if (!m || p < 2) return;
  void *aside = coll_scratch(c, m);
  for (int partner = 0; partner < p; partner++) {
    if (partner == c->rank) continue;
    void *block = coll_at(c, a->out, (size_t)partner * m);
    coll_copy(c, aside, block, m);
    coll_sendrecv(c, aside, m, partner, block, m, partner);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double rounds = a->size < 2 ? 0 : 2 * a->size - 3;
  return a->count ? rounds * (alpha + (double)(a->count * a->elem) * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg alltoall_swap_in_order = {
  .key = "alltoall/swap_in_order",
  .collective = COLL_ALLTOALL,
  .summary = "swap with rank 0, 1, 2, … in turn",
  .source = "MPICH",
  .supports = coll_in_place_only,
  .run = run,
  .cost = cost,
  .exact = exact,
};
