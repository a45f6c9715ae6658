/* reduce_scatter_block/butterfly
 * Idea     recursive halving at doubling distance, which keeps operands in order but leaves each block at the rank with
 *          the mirrored number: for p a power of two the blocks change places before, otherwise ranks are paired
 *          first, and a last exchange puts the blocks right
 * Rounds   lg p; for p no power of two 3 more than ⌊lg p⌋ (2 more when p is one above a power of two)
 * Cost     lg p alpha + (p-1) m (beta + gamma)          m = bytes of a block; exact for p a power of two
 * Needs    any p, any count; keeps the rank order
 * Scratch  two vectors
 * Source   Traff 2005, EuroPVM/MPI, LNCS 3666, pp. 129-137; Open MPI's coll/tuned reduce_scatter_block 4
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: blocks 0 2 1 3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     ..SS     TT..     ..TT          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     ..X.     .X..     ...X          0 ↔ 2, 1 ↔ 3       X = abcd
 */
#include "patterns/lg.h"
#include "primitives/reduce_scatter.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_butterfly(c, a->in, a->out, (size_t)c->size * a->count, NULL, coll_is_power_of_two(c->size));
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double m = (double)(a->count * a->elem), last = a->size > 3 && !coll_is_power_of_two(a->size) ? alpha + m * beta : 0;
  return a->count ? coll_cube_cost(a->size, a->size * m, alpha, beta, gamma) + last : 0;
}

static bool exact(const coll_args *a) { return coll_cube_exact(a->size, (size_t)a->size * a->count); }

const coll_alg reduce_scatter_block_butterfly = {
  .key = "reduce_scatter_block/butterfly",
  .collective = COLL_REDUCE_SCATTER_BLOCK,
  .summary = "halving at doubling distance, of blocks in mirrored order",
  .source = "Traff 2005, EuroPVM/MPI, LNCS 3666, pp. 129-137",
  .twin = { "Open MPI", 4 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
