/* bcast/mst_scatter_bucket_allgather
 * Idea     scatter the vector's blocks down the minimum spanning tree, then pass them around a ring; all in place
 * Rounds   ⌈lg p⌉ + p-1
 * Cost     (⌈lg p⌉ + p-1) alpha + (n - r + (p-1) m) beta          n = bytes, r of them the root's block, m the longest
 *          block's: 2 (p-1)/p n beta when p divides the count. Exact then for p a power of two; for root 0 always
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (long vectors)
 *
 *            rank 0   rank 1   rank 2        root 0, blocks a b c
 *  start     abc      ...      ...
 *  scatter   abc      .b.      ..c           0 → 2, 0 → 1 (rank 0 goes on having all: the ring does not ask)
 *  ring 1    abc      ab.      .bc
 *  ring 2    abc      abc      abc
 */
#include "primitives/bucket.h"
#include "primitives/mst.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t first = coll_mst_held(c, a->count, a->root, COLL_MST_FIRST).first;
  coll_mst_scatter(c, coll_at(c, a->out, first), a->count, a->root, COLL_MST_FIRST);
  coll_bucket_allgather(c, a->out, a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_mst_scatter_cost(a->size, a->count, a->elem, a->root, alpha, beta) +
         coll_bucket_cost(a->size, a->count, a->elem, alpha, beta, 0);
}

static bool exact(const coll_args *a) { return coll_mst_scatter_exact(a->size, a->count, a->root); }

const coll_alg bcast_mst_scatter_bucket_allgather = {
  .key = "bcast/mst_scatter_bucket_allgather",
  .collective = COLL_BCAST,
  .summary = "scatter down a minimum spanning tree, allgather around a ring",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, long vectors",
  .run = run,
  .cost = cost,
  .exact = exact,
};
