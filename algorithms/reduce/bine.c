/* reduce/bine
 * Idea     the broadcast down the Bine tree, turned around: pairs of neighbours add up, then ranks ever farther apart
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ (alpha + n beta + n gamma)          n = bytes; exact
 * Needs    any p, any root, any count; the operator must commute: the tree goes around the ring
 * Scratch  one vector at a rank with children, two unless it is the root
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   a        b        c        d
 *  1       ab       -        -        cd            1 → 0, 2 → 3
 *  2       abcd     -        -        -             3 → 0
 */
#include "patterns/lg.h"
#include "primitives/bine.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  coll_bine_tree t = coll_bine_here(c, a->root);
  const void *sum = a->in;
  if (t.node.children || !t.v) {
    void *own = t.v ? coll_scratch(c, n) : a->out, *other = t.node.children ? coll_scratch(c, n) : NULL;
    coll_copy(c, own, a->in, n);
    for (int i = t.node.children - 1; i >= 0; i--) {
      coll_recv(c, other, n, coll_bine_rank(&t, t.node.child[i]));
      coll_reduce(c, other, own, n);
    }
    sum = own;
  }
  if (t.v) coll_send(c, sum, n, coll_bine_rank(&t, t.node.parent));
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_lg_up(a->size) * (alpha + (double)(a->count * a->elem) * (beta + gamma)) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg reduce_bine = {
  .key = "reduce/bine",
  .collective = COLL_REDUCE,
  .summary = "Bine tree: doubling distances, to the right and to the left in turn",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .flags = COLL_COMMUTATIVE_ONLY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
