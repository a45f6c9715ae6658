/* allreduce/mst_reduce_mst_bcast
 * Idea     reduce to rank 0 up the minimum spanning tree, broadcast the sum down the same tree
 * Rounds   2 ⌈lg p⌉
 * Cost     2 ⌈lg p⌉ (alpha + n beta) + ⌈lg p⌉ n gamma          n = bytes; exact for any p
 * Needs    any p, any count; keeps rank order
 * Scratch  at most one vector, beside the result
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (short vectors)
 *
 *            rank 0   rank 1   rank 2
 *  start     a        b        c
 *  reduce 1  ab       -        c             1 → 0
 *  reduce 2  abc      -        -             2 → 0
 *  bcast 1   abc      -        abc           0 → 2
 *  bcast 2   abc      abc      abc           0 → 1
 */
#include "primitives/mst.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_mst_reduce(c, a->in, a->out, a->count, 0, COLL_MST_FIRST, a->commutes);
  coll_mst_bcast(c, a->out, a->count, 0, COLL_MST_FIRST);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double n = (double)a->count * (double)a->elem;
  return coll_mst_reduce_cost(a->size, n, alpha, beta, gamma) + coll_mst_bcast_cost(a->size, n, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allreduce_mst_reduce_mst_bcast = {
  .key = "allreduce/mst_reduce_mst_bcast",
  .collective = COLL_ALLREDUCE,
  .summary = "reduce up a minimum spanning tree, broadcast down it",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, short vectors",
  .run = run,
  .cost = cost,
  .exact = exact,
};
