/* alltoall/circulant
 * Idea     as alltoall/bruck, but a block goes its distance in skips of the circulant graph instead of powers of two, the longest
 *          that fits first: as many hops in all for a power of two, fewer for most other p
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ alpha + m beta × how many skips make up the distances 1 … p-1          m = bytes of a block; exact;
 *          (p/2) lg p skips for a power of two
 * Needs    any p, any count, two buffers
 * Scratch  all blocks, and two times as many as travel at once
 * Source   Traff 2024, arXiv 2410.14234
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b; skips 2, 1
 *  start   00 01 02      10 11 12      20 21 22
 *  turn    00 01 02      11 12 10      22 20 21      block i is for the i-th on the right
 *  1       00 01 10      11 12 21      22 20 02      block 2 to the second on the right
 *  2       00 20 10      11 01 21      22 12 02      block 1 to the right neighbour
 *  turn    00 10 20      01 11 21      02 12 22      block i is from the i-th on the left
 */
#include "patterns/circulant.h"
#include "primitives/exchange.h"

static const char *supports(const coll_args *a) {
  return a->in_place ? "needs two buffers; take alltoall/in_place" : NULL;
}

/* Whether a block that is to go so far takes the skip of round k: the longer ones come first. */
static bool travels(const coll_circulant *g, int distance, int k) {
  for (int j = g->q; --j > k;)
    if (distance >= g->skip[j]) distance -= g->skip[j];
  return distance >= g->skip[k];
}

static int travelling(const coll_circulant *g, int k) {
  int n = 0;
  for (int i = g->skip[k]; i < g->p; i++) n += travels(g, i, k);
  return n;
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, most = 0;
  size_t m = a->count, own = (size_t)c->rank * m, all = (size_t)p * m;
  if (!m) return;
  coll_circulant g = coll_circulant_make(p);
  for (int k = 0; k < g.q; k++) {
    int n = travelling(&g, k);
    most = n > most ? n : most;
  }
  void *turned = coll_scratch(c, all), *leaving = coll_scratch(c, (size_t)most * m);
  void *coming = coll_scratch(c, (size_t)most * m);
  coll_copy(c, turned, coll_at(c, a->in, own), all - own);
  coll_copy(c, coll_at(c, turned, all - own), a->in, own);
  for (int k = g.q; k-- > 0;) {
    int skip = g.skip[k];
    size_t n = 0, back = 0;
    for (int i = skip; i < p; i++)
      if (travels(&g, i, k)) coll_copy(c, coll_at(c, leaving, n++ * m), coll_at(c, turned, (size_t)i * m), m);
    coll_sendrecv(c, leaving, n * m, (c->rank + skip) % p, coming, n * m, (c->rank + p - skip) % p);
    for (int i = skip; i < p; i++)
      if (travels(&g, i, k)) coll_copy(c, coll_at(c, turned, (size_t)i * m), coll_at(c, coming, back++ * m), m);
  }
  for (int i = 0; i < p; i++)
    coll_copy(c, coll_at(c, a->out, (size_t)((c->rank + p - i) % p) * m), coll_at(c, turned, (size_t)i * m), m);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_circulant g = coll_circulant_make(a->size);
  double blocks = 0;
  for (int k = 0; k < g.q; k++) blocks += travelling(&g, k);
  return a->count ? g.q * alpha + blocks * (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg alltoall_circulant = {
  .key = "alltoall/circulant",
  .collective = COLL_ALLTOALL,
  .summary = "blocks travel by the skips of the circulant graph that make up their distance",
  .source = "Traff 2024, arXiv 2410.14234",
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
