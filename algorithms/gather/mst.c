/* gather/mst
 * Idea     the scatter's tree backwards: each half is gathered at its root, then one root sends its blocks to the other
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ alpha + (p-1)/p n beta          n = bytes of all blocks
 *          exact for p a power of two, and for root 0
 * Needs    any p, any root, any count
 * Scratch  the blocks of its part of the tree at a rank that passes some on; none at the root and at a leaf
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (short vectors)
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 1
 *  start   a        b        c        d        e
 *  1       -        ab       c        de       -             0 → 1, 4 → 3
 *  2       -        abc      -        de       -             2 → 1
 *  3       -        abcde    -        -        -             3 → 1
 */
#include "primitives/mst.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t n = (size_t)c->size * a->count;
  coll_span held = coll_mst_held(c, n, a->root, COLL_MST_FIRST);
  bool leaf = held.count == a->count; /* it sends from where its block lies */
  void *hold = c->rank == a->root ? a->out : leaf ? (void *)a->in : coll_scratch(c, held.count);
  coll_copy(c, coll_at(c, hold, (size_t)c->rank * a->count - held.first), a->in, a->count);
  coll_mst_gather(c, hold, n, a->root, COLL_MST_FIRST);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_mst_scatter_cost(a->size, (size_t)a->size * a->count, a->elem, a->root, alpha, beta);
}

static bool exact(const coll_args *a) { return coll_mst_scatter_exact(a->size, (size_t)a->size * a->count, a->root); }

const coll_alg gather_mst = {
  .key = "gather/mst",
  .collective = COLL_GATHER,
  .summary = "minimum spanning tree: gather each half, then one root sends to the other",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, short vectors",
  .run = run,
  .cost = cost,
  .exact = exact,
};
