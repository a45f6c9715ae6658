/* alltoall/bruck
 * Idea     turn the blocks so that block i is for the i-th rank on the right; for each bit of i, send all blocks that
 *          have it as far as the bit says, in one message; turn back
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ alpha + m beta × how many one-bits the numbers 1 … p-1 have          m = bytes of a block; exact;
 *          (p/2) lg p bits for a power of two
 * Needs    any p, any count, two buffers
 * Scratch  all blocks, and two times half of them
 * Source   Bruck et al. 1997, doi:10.1109/71.642949; Open MPI's coll/tuned alltoall 3
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b
 *  start   00 01 02      10 11 12      20 21 22
 *  turn    00 01 02      11 12 10      22 20 21
 *  1       00 20 02      11 01 10      22 12 21      block 1 to the right neighbour
 *  2       00 20 10      11 01 21      22 12 02      block 2 to the second on the right
 *  turn    00 10 20      01 11 21      02 12 22      block i is from the i-th on the left
 */
#include "patterns/lg.h"
#include "primitives/bruck.h"
#include "primitives/exchange.h"

static const char *supports(const coll_args *a) { return coll_exchange_supports(a); }

static void run(coll_ctx *c, const coll_args *a) { coll_bruck_alltoall(c, a, 2); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double bytes = (double)coll_bruck_travels(a->size, 2) * (double)(a->count * a->elem);
  return a->count ? coll_lg_up(a->size) * alpha + bytes * beta : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg alltoall_bruck = {
  .key = "alltoall/bruck",
  .collective = COLL_ALLTOALL,
  .summary = "blocks travel by the bits of their distance",
  .source = "Bruck et al. 1997, doi:10.1109/71.642949",
  .twin = { "Open MPI", 3 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
