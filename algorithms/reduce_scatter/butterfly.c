/* reduce_scatter/butterfly
 * Idea     recursive halving at doubling distance, which keeps operands in order but leaves each block at the rank
 *          with the mirrored number; a last exchange puts that right. With p no power of two ranks are paired first
 * Rounds   lg p' + 1 with p' = 2^⌊lg p⌋, lg p' for p = 2; 2 more when p is no power of two, 1 more when p = p' + 1
 * Cost     (lg p + 1) alpha + (p-1)/p n (beta + gamma) + (n/p) beta          n = bytes of the vector; exact for p a
 *          power of two, 4 at least, that divides the count (for p = 2 there is no last exchange)
 * Needs    any p, any counts; keeps the rank order
 * Scratch  two vectors
 * Source   Traff 2005, EuroPVM/MPI, LNCS 3666, pp. 129-137; Open MPI's coll/tuned reduce_scatter 4
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     ..SS     TT..     ..TT          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     ..X.     .X..     ...X          0 ↔ 2, 1 ↔ 3       X = abcd
 *  3       X...     .X..     ..X.     ...X          1 ↔ 2: 01 and 10 are each other's mirror
 */
#include "primitives/reduce_scatter.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_butterfly(c, a->in, a->out, a->count, a->displs, false);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double n = (double)(a->count * a->elem), last = a->size > 3 ? alpha + n / a->size * beta : 0;
  return a->count ? coll_cube_cost(a->size, n, alpha, beta, gamma) + last : 0;
}

static bool exact(const coll_args *a) { return !a->displs && coll_cube_exact(a->size, a->count); }

const coll_alg reduce_scatter_butterfly = {
  .key = "reduce_scatter/butterfly",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "halving at doubling distance, then mirrored ranks swap",
  .source = "Traff 2005, EuroPVM/MPI, LNCS 3666, pp. 129-137",
  .flags = COLL_ANY_BLOCKS,
  .twin = { "Open MPI", 4 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
