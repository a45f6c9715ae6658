/* allreduce/swing_latency[dims,ports]
 * Idea     exchange and add whole vectors with ranks 1, 1, 3, 5, 11, … away on a torus, right and left in turn, one dimension after the
 *          other. With ports=all the vector is cut into a part for each direction of each dimension: all go at once and use other links.
 *          With p no power of two, ranks are paired first, and the odd one of a pair works for both
 * Rounds   lg p' with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     lg p (k alpha + n beta + n gamma)          n = bytes, k = parts: 2 dims with ports=all, else 1; on one port; exact for p a
 *          power of two, and with ports=one, when lg p' and 2 alpha + 2 n beta + n gamma more stand for other p
 * Needs    any p, any count; the operator must commute. The torus is one of even extents over p', its first dimension the ranks' order:
 *          where ranks sit on a real torus the operations do not say
 * Scratch  one vector
 * Source   De Sensi et al. 2024, Swing (NSDI '24), arXiv:2401.09356: the latency-optimal version
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: elements 0, 1; each is a part
 *  start   aa       bb       cc       dd
 *  1       ST       SU       VU       VT            0 ↔ 1, 2 ↔ 3 and 0 ↔ 3, 1 ↔ 2    S = ab, T = ad, U = bc, V = cd
 *  2       XX       XX       XX       XX            0 ↔ 3, 1 ↔ 2 and 0 ↔ 1, 2 ↔ 3    X = abcd
 */
#include "primitives/swing.h"

static void run(coll_ctx *c, const coll_args *a) { coll_swing_allreduce(c, a, COLL_PEERS_WHOLE); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_peers_cost(a, coll_swing_parts(a), COLL_PEERS_WHOLE, alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return coll_peers_exact(a, coll_swing_parts(a), COLL_PEERS_WHOLE); }

static const coll_param params[] = { COLL_SWING_PARAMS, { .name = NULL } };

const coll_alg allreduce_swing_latency = {
  .key = "allreduce/swing_latency",
  .collective = COLL_ALLREDUCE,
  .summary = "whole vectors to ranks 1, 1, 3, 5, 11, … away on a torus, right and left in turn",
  .source = "De Sensi et al. 2024, arXiv:2401.09356",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
