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
#include "primitives/exchange.h"

static const char *supports(const coll_args *a) { return coll_exchange_supports(a); }

/* How many of the numbers below p have this bit: the blocks that travel together. */
static int travelling(int p, int bit) {
  int whole = p / (2 * bit) * bit, rest = p % (2 * bit) - bit;
  return whole + (rest > 0 ? rest : 0);
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  size_t m = a->count, own = (size_t)c->rank * m, all = (size_t)p * m;
  if (!m) return;
  if (p < 2) {
    coll_copy(c, a->out, a->in, m);
    return;
  }
  void *turned = coll_scratch(c, all), *leaving = coll_scratch(c, (size_t)travelling(p, 1) * m);
  void *coming = coll_scratch(c, (size_t)travelling(p, 1) * m); /* bit 1 is the most frequent */
  coll_copy(c, turned, coll_at(c, a->in, own), all - own);
  coll_copy(c, coll_at(c, turned, all - own), a->in, own);
  for (int bit = 1; bit < p; bit *= 2) {
    size_t n = 0;
    for (int i = bit; i < p; i++)
      if (i & bit) coll_copy(c, coll_at(c, leaving, n++ * m), coll_at(c, turned, (size_t)i * m), m);
    coll_sendrecv(c, leaving, n * m, (c->rank + bit) % p, coming, n * m, (c->rank + p - bit) % p);
    n = 0;
    for (int i = bit; i < p; i++)
      if (i & bit) coll_copy(c, coll_at(c, turned, (size_t)i * m), coll_at(c, coming, n++ * m), m);
  }
  for (int i = 0; i < p; i++)
    coll_copy(c, coll_at(c, a->out, (size_t)((c->rank + p - i) % p) * m), coll_at(c, turned, (size_t)i * m), m);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double blocks = 0;
  for (int bit = 1; bit < a->size; bit *= 2) blocks += travelling(a->size, bit);
  return a->count ? coll_lg_up(a->size) * alpha + blocks * (double)(a->count * a->elem) * beta : 0;
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
