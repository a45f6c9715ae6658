/* reduce_scatter/bine
 * Idea     exchange and add up halves of the blocks at distance …, 11, 5, 3, 1, 1, to the right and to the left in turn: the mirror image
 *          of Bine's allgather. The half that a rank keeps is a range of blocks around its own, in one message, or two where
 *          the range goes over the end of the vector. With p odd the last rank leaves its part to the one before
 * Rounds   ⌈lg p⌉ for p even; 2 more for p odd
 * Cost     (lg p + max(0, lg p - 2)) alpha + (p-1)/p n (beta + gamma)          n = bytes of the vector; exact for p a power of
 *          two that divides the count
 * Needs    any p, any count; the operator must commute
 * Scratch  two vectors
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     TT..     ..TT     ..SS          0 ↔ 3, 1 ↔ 2       S = ad, T = bc
 *  2       X...     .X..     ..X.     ...X          0 ↔ 1, 2 ↔ 3       X = abcd
 */
#include "primitives/bine.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  void *sum = coll_scratch(c, n);
  coll_copy(c, sum, a->in, n);
  coll_bine_reduce_scatter(c, sum, n, 0);
  coll_span own = coll_block(n, c->size, c->rank);
  coll_copy(c, a->out, coll_at(c, sum, own.first), own.count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_bine_cost(a->size, (double)(a->count * a->elem), alpha, beta, gamma) : 0;
}

static bool exact(const coll_args *a) { return coll_bine_exact(a->size, a->count); }

const coll_alg reduce_scatter_bine = {
  .key = "reduce_scatter/bine",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "Bine butterfly: exchange and add halves at halving distance, to the right and to the left in turn",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
