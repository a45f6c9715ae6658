/* allreduce/hamiltonian_rings[x]
 * Idea     two rings lead through all ranks of a torus of two dimensions, over links alone and none in both. A quarter of the vector goes
 *          around each in each direction, all at once: blocks are added up on the way, then the sums are passed around. So every link is busy in
 *          both directions all the time
 * Rounds   2 (p-1)
 * Cost     8 (p-1) alpha + (p-1)/p n (2 beta + gamma)          n = bytes; on one port; exact if the count is a multiple of 4 p
 * Needs    any count; the operator must commute. p = x y with y a multiple of x > 2 and no divisor common to y and x-1: 9, 16, 25, 27, 32, …; the
 *          first dimension is the ranks' order. Where ranks sit on a real torus the operations do not say
 * Scratch  one vector
 * Source   Bae and Bose 2003, Edge disjoint Hamiltonian cycles in k-ary n-cubes and hypercubes (IEEE Transactions on Computers 52); compared with
 *          Swing in arXiv:2401.09356
 *
 *          one ring                   the other                  3 × 3, ranks in rows
 *          0 → 1 → 2                  0   1   2                  0 1 2 5 3 4 7 8 6
 *                  ↓                  ↓   ↓   ↑                  0 3 6 7 1 4 5 8 2
 *          3 → 4   5 → 3              3   4 → 5 …
 */
#include "patterns/hamiltonian.h"
#include "primitives/rounds.h"

enum { PARTS = 4 };

/* Two parts for each ring, the second one the other way around. */
typedef struct {
  int p, columns, place[2];
  size_t n;
} state;

static int neighbour(const state *s, int ring, int by) {
  return coll_hamiltonian_rank(s->p, s->columns, ring, (s->place[ring] + s->p + by) % s->p);
}

static coll_round around(const void *how, int part, int i) {
  const state *s = how;
  int ring = part % 2, by = part < 2 ? 1 : -1, at = part < 2 ? s->place[ring] : s->p - 1 - s->place[ring];
  return (coll_round){ .to = neighbour(s, ring, by),
                       .from = neighbour(s, ring, -by),
                       .give = (at + 2 * s->p - 1 - i) % s->p,
                       .take = (at + 2 * s->p - 2 - i) % s->p,
                       .blocks = 1 };
}

static coll_span even(const void *how, int part, int lo, int hi) {
  const state *s = how;
  return coll_rounds_even(s->n, PARTS, part, s->p, lo, hi);
}

static const char *supports(const coll_args *a) {
  if (a->size < 2 || coll_hamiltonian_columns(a->size, a->param[0])) return NULL;
  return "there are no two such rings on this torus; take allreduce/bucket_torus";
}

static void run(coll_ctx *c, const coll_args *a) {
  state s = { .p = c->size, .n = a->count };
  coll_rounds w = { PARTS, c->size - 1, around, even, &s };
  if (c->size > 1) s.columns = coll_hamiltonian_columns(c->size, a->param[0]);
  for (int ring = 0; ring < 2 && c->size > 1; ring++)
    while (coll_hamiltonian_rank(s.p, s.columns, ring, s.place[ring]) != c->rank) s.place[ring]++;
  coll_rounds_allreduce(c, a, &w);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double p = a->size, n = (double)(a->count * a->elem);
  return a->count ? 2 * PARTS * (p - 1) * alpha + (p - 1) / p * n * (2 * beta + gamma) : 0;
}

static bool exact(const coll_args *a) { return a->count % (PARTS * (size_t)a->size) == 0; }

static const coll_param params[] = {
  { .name = "x",
    .max = 1L << 20,
    .help = "extent of the torus' first dimension; 0: the most that there are rings for" },
  { .name = NULL },
};

const coll_alg allreduce_hamiltonian_rings = {
  .key = "allreduce/hamiltonian_rings",
  .collective = COLL_ALLREDUCE,
  .summary = "a quarter of the vector each way around two rings of a torus that share no link",
  .source = "Bae and Bose 2003, IEEE Transactions on Computers; De Sensi et al. 2024, arXiv:2401.09356",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
