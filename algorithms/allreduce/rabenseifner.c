/* allreduce/rabenseifner
 * Idea     recursive halving leaves each rank one part of the sum; recursive doubling brings the parts together
 *          everywhere. With p no power of two ranks are paired first, and the even one of a pair works for both
 * Rounds   2 lg p' with p' = 2^⌊lg p⌋; 3 more when p is no power of two
 * Cost     2 lg p alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact for p a power of two that divides the
 *          count
 * Needs    any p, count >= p' (or 0); the operator must commute
 * Scratch  one vector
 * Source   Rabenseifner; Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned allreduce 6
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: elements 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     ..SS     TT..     ..TT          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     ..X.     .X..     ...X          0 ↔ 2, 1 ↔ 3       X = abcd
 *  3       XX..     ..XX     XX..     ..XX          0 ↔ 2, 1 ↔ 3
 *  4       XXXX     XXXX     XXXX     XXXX          0 ↔ 1, 2 ↔ 3
 */
#include "primitives/halving.h"

static const char *supports(const coll_args *a) {
  if (!a->count || a->count >= (size_t)coll_fold_make(a->size, COLL_FOLD_EVEN).power) return NULL;
  return "needs at least as many elements as the largest power of two in p; Open MPI takes allreduce/linear instead";
}

static void run(coll_ctx *c, const coll_args *a) { coll_halving_allreduce(c, a, COLL_FOLD_EVEN, COLL_HALVING_SPLIT); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_halving_allreduce_cost(a, COLL_HALVING_SPLIT, alpha, beta, gamma);
}

const coll_alg allreduce_rabenseifner = {
  .key = "allreduce/rabenseifner",
  .collective = COLL_ALLREDUCE,
  .summary = "recursive halving, then recursive doubling",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521",
  .flags = COLL_COMMUTATIVE_ONLY,
  .twin = { "Open MPI", 6 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = coll_halving_exact,
};
