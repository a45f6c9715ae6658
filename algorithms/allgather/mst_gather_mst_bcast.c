/* allgather/mst_gather_mst_bcast
 * Idea     gather all blocks at rank 0 up the minimum spanning tree, broadcast them down the same tree
 * Rounds   2 ⌈lg p⌉
 * Cost     2 ⌈lg p⌉ alpha + ((p-1)/p + ⌈lg p⌉) n beta          n = bytes of all blocks; exact for any p
 * Needs    any p, any count
 * Scratch  none: a rank's part of the tree is gathered where it belongs in the result
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (short vectors)
 *
 *           rank 0   rank 1   rank 2
 *  start    a..      .b.      ..c
 *  gather   abc      .b.      ..c           1 → 0, 2 → 0
 *  bcast 1  abc      .b.      abc           0 → 2
 *  bcast 2  abc      abc      abc           0 → 1
 */
#include "primitives/mst.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t n = (size_t)c->size * a->count;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * a->count), a->in, a->count);
  coll_mst_gather(c, coll_at(c, a->out, coll_mst_held(c, n, 0, COLL_MST_FIRST).first), n, 0, COLL_MST_FIRST);
  coll_mst_bcast(c, a->out, n, 0, COLL_MST_FIRST);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  size_t n = (size_t)a->size * a->count;
  return coll_mst_scatter_cost(a->size, n, a->elem, 0, alpha, beta) +
         coll_mst_bcast_cost(a->size, (double)(n * a->elem), alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgather_mst_gather_mst_bcast = {
  .key = "allgather/mst_gather_mst_bcast",
  .collective = COLL_ALLGATHER,
  .summary = "gather up a minimum spanning tree, broadcast down it",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, short vectors",
  .run = run,
  .cost = cost,
  .exact = exact,
};
