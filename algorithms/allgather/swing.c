/* allgather/swing
 * Idea     exchange with ranks …, 11, 5, 3, 1, 1 away, right and left in turn, the farthest first: blocks double, so that the long messages go to
 *          the nearest. They do not lie side by side, and are packed into one message. With p odd the last rank leaves its part to
 *          the one before
 * Rounds   ⌈lg p⌉ for p even; 2 more for p odd
 * Cost     lg p alpha + (p-1) m beta          m = bytes of a block; exact for p a power of two
 * Needs    any p, any count
 * Scratch  two times all blocks
 * Source   De Sensi et al. 2024, Swing (NSDI '24), arXiv:2401.09356
 *
 *          rank 0   rank 1   rank 2   rank 3
 *  start   a...     .b..     ..c.     ...d
 *  1       a..d     .bc.     .bc.     a..d          0 ↔ 3, 1 ↔ 2
 *  2       abcd     abcd     abcd     abcd          0 ↔ 1, 2 ↔ 3
 */
#include "patterns/lg.h"
#include "primitives/swing.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count;
  if (!m) return;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
  coll_swing_allgather(c, a->out, (size_t)c->size * m);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_swing_cost(a->size, (double)a->size * (double)(a->count * a->elem), alpha, beta, 0) : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of_two(a->size); }

const coll_alg allgather_swing = {
  .key = "allgather/swing",
  .collective = COLL_ALLGATHER,
  .summary = "exchange with ranks …, 5, 3, 1, 1 away, right and left in turn",
  .source = "De Sensi et al. 2024, arXiv:2401.09356",
  .run = run,
  .cost = cost,
  .exact = exact,
};
