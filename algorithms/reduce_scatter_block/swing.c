/* reduce_scatter_block/swing
 * Idea     exchange and add up halves of the blocks with ranks 1, 1, 3, 5, 11, … away, right and left in turn: the long messages go to the
 *          nearest. The blocks of a half do not lie side by side, and are packed into one message. With p odd the last rank leaves its part
 *          to the one before
 * Rounds   ⌈lg p⌉ for p even; 2 more for p odd
 * Cost     lg p alpha + (p-1)/p n (beta + gamma)          n = bytes of the vector; exact for p a power of two that divides the count
 * Needs    any p, any count; the operator must commute
 * Scratch  three vectors
 * Source   De Sensi et al. 2024, Swing (NSDI '24), arXiv:2401.09356
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       S..S     .SS.     .TT.     T..T          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     .X..     ..X.     ...X          0 ↔ 3, 1 ↔ 2       X = abcd
 */
#include "primitives/swing.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = (size_t)c->size * a->count;
  if (!n) return;
  void *sum = coll_scratch(c, n);
  coll_copy(c, sum, a->in, n);
  coll_swing_reduce_scatter(c, sum, n);
  coll_span own = coll_block(n, c->size, c->rank);
  coll_copy(c, a->out, coll_at(c, sum, own.first), own.count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_swing_cost(a->size, (double)a->size * (double)(a->count * a->elem), alpha, beta, gamma) : 0;
}

static bool exact(const coll_args *a) { return coll_swing_exact(a->size, (size_t)a->size * a->count); }

const coll_alg reduce_scatter_block_swing = {
  .key = "reduce_scatter_block/swing",
  .collective = COLL_REDUCE_SCATTER_BLOCK,
  .summary = "exchange and add halves with ranks 1, 1, 3, 5, … away, right and left in turn",
  .source = "De Sensi et al. 2024, arXiv:2401.09356",
  .flags = COLL_COMMUTATIVE_ONLY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
