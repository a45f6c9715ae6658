/* reduce_scatter/recursive_halving
 * Idea     exchange halves of the blocks with the rank half the ring away, add up, and go on with half of the blocks.
 *          With p no power of two ranks are paired first, and the odd one of a pair works for both
 * Rounds   lg p' with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     lg p alpha + (p-1)/p n (beta + gamma)          n = bytes of the vector; exact for p a power of two that
 *          divides the count
 * Needs    any p, any counts; the operator must commute
 * Scratch  two vectors
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned reduce_scatter 2
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     TT..     ..SS     ..TT          0 ↔ 2, 1 ↔ 3       S = ac, T = bd
 *  2       X...     .X..     ..X.     ...X          0 ↔ 1, 2 ↔ 3       X = abcd
 */
#include "primitives/reduce_scatter.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_recursive_halving(c, a->in, a->out, a->count, a->displs);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_cube_cost(a->size, (double)(a->count * a->elem), alpha, beta, gamma) : 0;
}

static bool exact(const coll_args *a) { return !a->displs && coll_cube_exact(a->size, a->count); }

const coll_alg reduce_scatter_recursive_halving = {
  .key = "reduce_scatter/recursive_halving",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "exchange and add halves at halving distance",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521",
  .flags = COLL_COMMUTATIVE_ONLY | COLL_ANY_BLOCKS,
  .twin = { "Open MPI", 2 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
