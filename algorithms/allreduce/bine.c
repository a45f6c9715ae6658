/* allreduce/bine
 * Idea     exchange and add whole vectors with ranks 1, 1, 3, 5, 11, … away, to the right and to the left in turn. With p no power of
 *          two, ranks are paired first, and the odd one of a pair works for both
 * Rounds   lg p' with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     lg p (alpha + n beta + n gamma)          n = bytes; exact, for p no power of two with lg p' and 2 alpha +
 *          2 n beta + n gamma more
 * Needs    any p, any count; the operator must commute: what a rank has added up is a range that may go around the ring
 * Scratch  one vector
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3
 *  start   a        b        c        d
 *  1       ab       ab       cd       cd            0 ↔ 1, 2 ↔ 3
 *  2       X        X        X        X             0 ↔ 3, 1 ↔ 2        X = abcd
 */
#include "primitives/peers.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_ODD);
  coll_peers peers = coll_peers_bine(f.lg, coll_fold_virtual(f, c->rank));
  coll_peers_allreduce(c, a, f, &peers, 1, COLL_PEERS_WHOLE);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_peers_cost(a, 1, COLL_PEERS_WHOLE, alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return coll_peers_exact(a, 1, COLL_PEERS_WHOLE); }

const coll_alg allreduce_bine = {
  .key = "allreduce/bine",
  .collective = COLL_ALLREDUCE,
  .summary = "Bine butterfly: exchange and add whole vectors at distance 1, 1, 3, 5, 11, …, right and left in turn",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .flags = COLL_COMMUTATIVE_ONLY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
