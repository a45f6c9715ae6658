/* scatter/mst
 * Idea     halve the ranks; the root sends the other half's blocks to its first rank, which is root there
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ alpha + (p-1)/p n beta          n = bytes of all blocks
 *          exact for p a power of two, and for root 0
 * Needs    any p, any root, any count
 * Scratch  the blocks of its part of the tree at a rank that passes some on; none at the root and at a leaf
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (short vectors)
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 1
 *  start   .        abcde    .        .        .
 *  1       .        abc      .        de       .             1 → 3
 *  2       .        ab       c        d        e             1 → 2, 3 → 4
 *  3       a        b        c        d        e             1 → 0
 */
#include "primitives/mst.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t n = (size_t)c->size * a->count;
  coll_span held = coll_mst_held(c, n, a->root, COLL_MST_FIRST);
  bool leaf = held.count == a->count;
  void *hold = c->rank == a->root ? (void *)a->in : leaf ? a->out : coll_scratch(c, held.count);
  coll_mst_scatter(c, hold, n, a->root, COLL_MST_FIRST);
  coll_copy(c, a->out, coll_at(c, hold, (size_t)c->rank * a->count - held.first), a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_mst_scatter_cost(a->size, (size_t)a->size * a->count, a->elem, a->root, alpha, beta);
}

static bool exact(const coll_args *a) { return coll_mst_scatter_exact(a->size, (size_t)a->size * a->count, a->root); }

const coll_alg scatter_mst = {
  .key = "scatter/mst",
  .collective = COLL_SCATTER,
  .summary = "minimum spanning tree: halve the ranks, send the other half its blocks",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, short vectors",
  .run = run,
  .cost = cost,
  .exact = exact,
};
