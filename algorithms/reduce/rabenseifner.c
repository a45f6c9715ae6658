/* reduce/rabenseifner
 * Idea     recursive halving leaves each rank one part of the sum; a binomial tree gathers the parts at the root.
 *          With p no power of two ranks are paired first; an odd root so paired off takes rank 0's place for the
 *          gather
 * Rounds   2 lg p' with p' = 2^⌊lg p⌋; 2 or 3 more when p is no power of two
 * Cost     2 lg p alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact for p a power of two that divides the
 *          count
 * Needs    any p, any root, count >= p' (or 0); the operator must commute
 * Scratch  two vectors, one at the root
 * Source   Rabenseifner; Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned reduce 7
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0; rows: elements 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     ..SS     TT..     ..TT          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     ..X.     .X..     ...X          0 ↔ 2, 1 ↔ 3       X = abcd
 *  3       XX..     ..XX     .        .             2 → 0, 3 → 1
 *  4       XXXX     .        .        .             1 → 0
 */
#include "primitives/halving.h"

static const char *supports(const coll_args *a) {
  if (!a->count || a->count >= (size_t)coll_fold_make(a->size, COLL_FOLD_EVEN).power) return NULL;
  return "needs at least as many elements as the largest power of two in p; Open MPI takes reduce/linear instead";
}

static void run(coll_ctx *c, const coll_args *a) { coll_halving_gather_reduce(c, a, COLL_HALVING_SPLIT); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_halving_gather_reduce_cost(a, COLL_HALVING_SPLIT, alpha, beta, gamma);
}

const coll_alg reduce_rabenseifner = {
  .key = "reduce/rabenseifner",
  .collective = COLL_REDUCE,
  .summary = "recursive halving, then a binomial gather",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521",
  .flags = COLL_COMMUTATIVE_ONLY,
  .twin = { "Open MPI", 7 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = coll_halving_exact,
};
