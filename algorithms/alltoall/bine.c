/* alltoall/bine
 * Idea     exchange half of the blocks with the ranks 1, 1, 3, 5, 11, … away, to the right and to the left in turn: those whose
 *          destinations can be reached from the partner. Which these are follows from ranks' numbers in base -2
 * Rounds   lg p
 * Cost     lg p alpha + (p/2) lg p m beta          m = bytes of a block; exact
 * Needs    p a power of two, any count
 * Scratch  two times all blocks
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0         rank 1         rank 2         rank 3         ab: a's block for b
 *  start   00 03 01 02    10 13 11 12    20 23 21 22    30 33 31 32    in the order of destinations 0 3 1 2
 *  1       00 03 10 13    01 02 11 12    31 32 21 22    30 33 20 23    0 ↔ 1, 2 ↔ 3
 *  2       00 30 10 20    01 31 11 21    02 32 12 22    03 33 13 23    0 ↔ 3, 1 ↔ 2; then put in order
 */
#include "collscope.h"
#include "patterns/bine.h"
#include "patterns/lg.h"

static const char *supports(const coll_args *a) {
  return coll_is_power_of_two(a->size) ? NULL : "needs a power of two of ranks; take alltoall/bruck";
}

/* Moves the places of hold[p] that differ from `own` in a bit to packed[p/2], or back. */
static void move(coll_ctx *c, void *hold, void *packed, size_t m, int own, int bit, bool back) {
  for (int i = ~own & bit, n = 0; i < c->size; i += 2 * bit, n += bit) {
    void *there = coll_at(c, packed, (size_t)n * m), *here = coll_at(c, hold, (size_t)i * m);
    coll_copy(c, back ? here : there, back ? there : here, (size_t)bit * m);
  }
}

/* The rank whose block is at a place in the end: one bit after the other tells whether it came from the partner of that step. */
static int source(int p, int q, int rank, int place, int own) {
  for (int k = q - 1; k >= 0; k--)
    if ((place ^ own) >> (q - 1 - k) & 1) rank = coll_bine_partner(p, rank, k);
  return rank;
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, q = coll_lg_up(p), own = coll_bine_block(q, c->rank);
  size_t m = a->count, half = (size_t)(p / 2) * m;
  if (!m) return;
  void *hold = coll_scratch(c, (size_t)p * m), *leaving = coll_scratch(c, half), *coming = coll_scratch(c, half);
  for (int r = 0; r < p; r++) /* a block lies at the place of its destination */
    coll_copy(c, coll_at(c, hold, (size_t)coll_bine_block(q, r) * m), coll_at(c, a->in, (size_t)r * m), m);
  for (int k = 0; k < q; k++) {
    int partner = coll_bine_partner(p, c->rank, k), bit = p >> (k + 1);
    move(c, hold, leaving, m, own, bit, false);
    coll_sendrecv(c, leaving, half, partner, coming, half, partner);
    move(c, hold, coming, m, own, bit, true);
  }
  for (int i = 0; i < p; i++)
    coll_copy(c, coll_at(c, a->out, (size_t)source(p, q, c->rank, i, own) * m), coll_at(c, hold, (size_t)i * m), m);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_lg_up(a->size) * (a->count ? alpha + a->size / 2 * (double)(a->count * a->elem) * beta : 0);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg alltoall_bine = {
  .key = "alltoall/bine",
  .collective = COLL_ALLTOALL,
  .summary = "Bine butterfly: half of the blocks at distance 1, 1, 3, 5, 11, …, right and left in turn",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
