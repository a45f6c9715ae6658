/* reduce_scatter_block/bucket_torus[x,y]
 * Idea     add up around the rings of a torus' last dimension, which share out the blocks of the dimensions below; then around those of the
 *          one before, and so on: all messages go to neighbours
 * Rounds   (x-1) + (y-1) + (z-1)
 * Cost     (x + y + z - 3) alpha + (p-1)/p n (beta + gamma)          n = bytes of all blocks; exact
 * Needs    any count; the operator must commute. The extents must divide p, the first dimension is the ranks' order. Where ranks sit on a
 *          real torus the operations do not say
 * Scratch  two vectors
 * Source   Jain and Sabharwal 2010, Optimal bucket algorithms for large MPI collectives on torus interconnects (ICS '10); compared with Swing
 *          in arXiv:2401.09356
 *
 *          rank 0   rank 1   rank 2   rank 3        2 × 2; rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     TT..     ..SS     ..TT          0 ↔ 2, 1 ↔ 3       S = ac, T = bd
 *  2       X...     .X..     ..X.     ...X          0 ↔ 1, 2 ↔ 3       X = abcd
 */
#include "primitives/torus.h"

static void run(coll_ctx *c, const coll_args *a) { coll_bucket_torus_reduce_scatter(c, a, (size_t)c->size * a->count); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_torus_call t = coll_torus_here(a, 0, (size_t)a->size * a->count, false);
  return coll_bucket_torus_cost(&t, (double)t.n * (double)a->elem, alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return true; }

static const coll_param params[] = { COLL_TORUS_PARAMS, { .name = NULL } };

const coll_alg reduce_scatter_block_bucket_torus = {
  .key = "reduce_scatter_block/bucket_torus",
  .collective = COLL_REDUCE_SCATTER_BLOCK,
  .summary = "add up around the rings of a torus, one dimension after the other",
  .source = "Jain and Sabharwal 2010, ICS; De Sensi et al. 2024, arXiv:2401.09356",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .supports = coll_torus_supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
