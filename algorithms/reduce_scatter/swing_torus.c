/* reduce_scatter/swing_torus[x,y,ports]
 * Idea     Swing on a torus of given extents: exchange and add halves of what is left with a rank 1, 1, 3, 5, 11, … away in one dimension,
 *          right and left in turn, the dimensions taking turns. With ports=all blocks are cut into a part for each direction of each
 *          dimension: all go at once and use other links
 * Rounds   lg p
 * Cost     k lg p alpha + (p-1)/p n (beta + gamma)          n = bytes of the vector, k = parts: twice the dimensions with ports=all, else 1; on
 *          one port; exact if the count is a multiple of k p
 * Needs    p a power of two, any count; the operator must commute. The extents must divide p, the first dimension is the ranks' order.
 *          Where ranks sit on a real torus the operations do not say
 * Scratch  two vectors: blocks travel in the order in which ranks meet
 * Source   De Sensi et al. 2024, Swing (NSDI '24), arXiv:2401.09356
 *
 *          rank 0   rank 1   rank 2   rank 3        2 × 2, ports=one; rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       S.S.     .S.S     T.T.     .T.T          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     .X..     ..X.     ...X          0 ↔ 2, 1 ↔ 3       X = abcd
 */
#include "primitives/swing_torus.h"

static void *prepare(coll_ctx *c, const coll_args *a) { return coll_swing_torus_prepare(c, a, a->count); }

static void run(coll_ctx *c, const coll_args *a) { coll_swing_torus_reduce_scatter(c, a->prepared, a->in, a->out); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_torus_call t = coll_swing_torus_here(a, 0, a->count);
  return coll_swing_torus_cost(&t, (double)(a->count * a->elem), alpha, beta, gamma);
}

static bool exact(const coll_args *a) {
  coll_torus_call t = coll_swing_torus_here(a, 0, a->count);
  return coll_torus_even(&t);
}

static const coll_param params[] = { COLL_TORUS_PARAMS, COLL_TORUS_PORTS_PARAM, { .name = NULL } };

const coll_alg reduce_scatter_swing_torus = {
  .key = "reduce_scatter/swing_torus",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "Swing on a torus of given extents, all its directions at once",
  .source = "De Sensi et al. 2024, arXiv:2401.09356",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .supports = coll_swing_torus_supports,
  .prepare = prepare,
  .run = run,
  .cost = cost,
  .exact = exact,
};
