/* allreduce/reduce_scatter_allgather
 * Idea     as allreduce/rabenseifner, but of a pair of ranks the odd one gets the other's whole vector and works for both,
 *          and the vector is cut into one block for each who works, the first ones an element longer
 * Rounds   2 lg p' with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     2 lg p alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact for p a power of two that divides the
 *          count
 * Needs    any p, count >= p' (or 0); the operator must commute
 * Scratch  one vector
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; MPICH's reduce_scatter_allgather
 *
 *          rank 0   rank 1   rank 2        rows: elements 0-1
 *  start   aa       bb       cc
 *  pair    .        SS       cc            0 → 1               S = ab
 *  1       .        X.       .X            1 ↔ 2               X = abc
 *  2       .        XX       XX            1 ↔ 2
 *  pair    XX       XX       XX            1 → 0
 */
#include "primitives/halving.h"

static const char *supports(const coll_args *a) {
  if (!a->count || a->count >= (size_t)coll_fold_make(a->size, COLL_FOLD_ODD).power) return NULL;
  return "needs at least as many elements as the largest power of two in p; MPICH takes allreduce/recursive_doubling";
}

static void run(coll_ctx *c, const coll_args *a) { coll_halving_allreduce(c, a, COLL_FOLD_ODD, COLL_HALVING_WHOLE); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_halving_allreduce_cost(a, COLL_HALVING_WHOLE, alpha, beta, gamma);
}

const coll_alg allreduce_reduce_scatter_allgather = {
  .key = "allreduce/reduce_scatter_allgather",
  .collective = COLL_ALLREDUCE,
  .summary = "recursive halving and doubling of equal blocks",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521; MPICH",
  .flags = COLL_COMMUTATIVE_ONLY,
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = coll_halving_exact,
};
