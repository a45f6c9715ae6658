/* reduce/mst
 * Idea     the broadcast's tree backwards: each half is reduced to its root, then one root sends to the other
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ (alpha + n beta + n gamma)          n = bytes; exact for any p and root
 * Needs    any p, any root, any count; keeps rank order: halves are unbroken ranges, the lower one goes on the left
 * Scratch  up to two vectors at a rank that receives (at the root one, beside the result); none at a leaf
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
  if (a->count) coll_mst_reduce(c, a->in, a->out, a->count, a->root, COLL_MST_FIRST, a->commutes);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_mst_reduce_cost(a->size, (double)a->count * (double)a->elem, alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg reduce_mst = {
  .key = "reduce/mst",
  .collective = COLL_REDUCE,
  .summary = "minimum spanning tree: reduce each half, then one root to the other",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, short vectors",
  .run = run,
  .cost = cost,
  .exact = exact,
};
