/* allreduce/bine_reduce_scatter_allgather
 * Idea     exchange and add halves of what is left of the vector with ranks 1, 1, 3, 5, 11, … away, so that the long messages go to the
 *          nearest; then bring the parts together in the reverse order. Which half a rank keeps follows from its number in base -2,
 *          so that all messages are one piece. With p no power of two, ranks are paired first, and the odd one of a pair works for
 *          both
 * Rounds   2 lg p' with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     2 lg p alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact for p a power of two that divides the count
 * Needs    any p, any count; the operator must commute
 * Scratch  one vector
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: elements 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     ..SS     ..TT     TT..          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     ..X.     ...X     .X..          0 ↔ 3, 1 ↔ 2       X = abcd
 *  3       XX..     ..XX     ..XX     XX..          0 ↔ 3, 1 ↔ 2
 *  4       XXXX     XXXX     XXXX     XXXX          0 ↔ 1, 2 ↔ 3
 */
#include "primitives/peers.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_ODD);
  coll_peers peers = coll_peers_bine(f.lg, coll_fold_virtual(f, c->rank));
  coll_peers_allreduce(c, a, f, &peers, 1, COLL_PEERS_HALVES);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_peers_cost(a, 1, COLL_PEERS_HALVES, alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return coll_peers_exact(a, 1, COLL_PEERS_HALVES); }

const coll_alg allreduce_bine_reduce_scatter_allgather = {
  .key = "allreduce/bine_reduce_scatter_allgather",
  .collective = COLL_ALLREDUCE,
  .summary = "Bine butterfly: halves at distance 1, 1, 3, 5, 11, …, right and left in turn, and back",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .flags = COLL_COMMUTATIVE_ONLY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
