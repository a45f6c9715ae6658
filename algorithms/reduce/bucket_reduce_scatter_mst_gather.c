/* reduce/bucket_reduce_scatter_mst_gather
 * Idea     reduce blocks around a ring, so that each rank ends with one, then gather them up the minimum spanning tree
 * Rounds   p-1 + ⌈lg p⌉
 * Cost     (p-1 + ⌈lg p⌉) alpha + ((p-1) m + n - r) beta + (p-1) m gamma          n = bytes, r of them the root's block,
 *          m the longest block's: 2 (p-1)/p n beta + (p-1)/p n gamma when p divides the count. Exact then for p a power
 *          of two; for root 0 always
 * Needs    any p, any root, any count; an operator that commutes
 * Scratch  two blocks, and the blocks of its part of the tree at a rank that is not the root
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (long vectors)
 *
 *            rank 0        rank 1        rank 2        root 0; block 1 of rank 0 is 0b
 *  start     0a 0b 0c      1a 1b 1c      2a 2b 2c
 *  ring 1    .  2b+0b .    .  .  0c+1c   1a+2a . .
 *  ring 2    A  .  .       .  B  .       .  .  C       each rank its own block, complete
 *  gather    A  B  C       .             .             1 → 0, 2 → 0
 */
#include "primitives/bucket.h"
#include "primitives/mst.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_span held = coll_mst_held(c, a->count, a->root, COLL_MST_FIRST);
  void *hold = c->rank == a->root ? a->out : coll_scratch(c, held.count);
  void *own = coll_at(c, hold, coll_block(a->count, c->size, c->rank).first - held.first);
  coll_bucket_reduce_scatter(c, a->in, own, a->count, NULL);
  coll_mst_gather(c, hold, a->count, a->root, COLL_MST_FIRST);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_bucket_cost(a->size, a->count, a->elem, alpha, beta, gamma) +
         coll_mst_scatter_cost(a->size, a->count, a->elem, a->root, alpha, beta);
}

static bool exact(const coll_args *a) { return coll_mst_scatter_exact(a->size, a->count, a->root); }

const coll_alg reduce_bucket_reduce_scatter_mst_gather = {
  .key = "reduce/bucket_reduce_scatter_mst_gather",
  .collective = COLL_REDUCE,
  .summary = "reduce-scatter around a ring, gather up a minimum spanning tree",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, long vectors",
  .flags = COLL_COMMUTATIVE_ONLY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
