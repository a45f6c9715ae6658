/* reduce_scatter/mst_reduce_mst_scatter
 * Idea     reduce the whole vector to rank 0 up the minimum spanning tree, scatter its blocks down the same tree
 * Rounds   2 ⌈lg p⌉
 * Cost     2 ⌈lg p⌉ alpha + (⌈lg p⌉ n + n - r) beta + ⌈lg p⌉ n gamma          n = bytes of a whole vector, r of
 *          block 0: (⌈lg p⌉ + (p-1)/p) n beta when p divides the count; exact for any p and count
 * Needs    any p, any count; keeps rank order
 * Scratch  up to two vectors, and the blocks of its part of the tree
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (short vectors)
 *
 *            rank 0        rank 1        rank 2        block 1 of rank 0 is 0b
 *  start     0a 0b 0c      1a 1b 1c      2a 2b 2c
 *  reduce    A  B  C       -             -             1 → 0, 2 → 0
 *  scatter   A             B             C             0 → 2, 0 → 1
 */
#include "primitives/mst.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_mst_reduce_scatter(c, a->in, a->out, a->count, a->commutes);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_mst_reduce_scatter_cost(a->size, a->count, a->elem, alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg reduce_scatter_mst_reduce_mst_scatter = {
  .key = "reduce_scatter/mst_reduce_mst_scatter",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "reduce up a minimum spanning tree, scatter down it",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, short vectors",
  .run = run,
  .cost = cost,
  .exact = exact,
};
