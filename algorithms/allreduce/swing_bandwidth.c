/* allreduce/swing_bandwidth[dims,ports]
 * Idea     exchange and add halves of what is left with ranks 1, 1, 3, 5, 11, … away on a torus, right and left in turn, one dimension
 *          after the other; then bring the parts together in the reverse order: long messages take short routes. With ports=all the vector
 *          is cut into a part for each direction of each dimension: all go at once and use other links. With p no power of two,
 *          ranks are paired first, and the odd one of a pair works for both
 * Rounds   2 lg p' with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     2 k lg p alpha + (p-1)/p n (2 beta + gamma)          n = bytes, k = parts: 2 dims with ports=all, else 1; on one port; exact
 *          for p a power of two, if the count is a multiple of k p
 * Needs    any p, any count; the operator must commute. The torus is one of even extents over p', its first dimension the ranks' order:
 *          where ranks sit on a real torus the operations do not say
 * Scratch  one vector
 * Source   De Sensi et al. 2024, Swing (NSDI '24), arXiv:2401.09356: the bandwidth-optimal version
 *
 *          rank 0   rank 1   rank 2   rank 3        ports=one; rows: elements 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     ..SS     ..TT     TT..          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     ..X.     ...X     .X..          0 ↔ 3, 1 ↔ 2       X = abcd
 *  3       XX..     ..XX     ..XX     XX..          0 ↔ 3, 1 ↔ 2
 *  4       XXXX     XXXX     XXXX     XXXX          0 ↔ 1, 2 ↔ 3
 */
#include "primitives/swing.h"

static void run(coll_ctx *c, const coll_args *a) { coll_swing_allreduce(c, a, COLL_PEERS_HALVES); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_peers_cost(a, coll_swing_parts(a), COLL_PEERS_HALVES, alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return coll_peers_exact(a, coll_swing_parts(a), COLL_PEERS_HALVES); }

static const coll_param params[] = { COLL_SWING_PARAMS, { .name = NULL } };

const coll_alg allreduce_swing_bandwidth = {
  .key = "allreduce/swing_bandwidth",
  .collective = COLL_ALLREDUCE,
  .summary = "halves to ranks 1, 1, 3, 5, 11, … away on a torus, right and left in turn, and back",
  .source = "De Sensi et al. 2024, arXiv:2401.09356",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
