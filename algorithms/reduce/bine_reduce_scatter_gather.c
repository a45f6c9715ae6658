/* reduce/bine_reduce_scatter_gather
 * Idea     Bine's reduce-scatter leaves each rank one block of the sum; the Bine tree gathers the blocks at the root
 * Rounds   2 ⌈lg p⌉, with up to two messages each in the first half; 2 more for p odd
 * Cost     (2 lg p + max(0, lg p - 2)) alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact for p a power of two that
 *          divides the count
 * Needs    any p, any root, any count; the operator must commute
 * Scratch  one vector, two unless at the root
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0; rows: elements 0-3. Of four ranks the tree's order is 2 3 0 1
 *  start   aaaa     bbbb     cccc     dddd
 *  1       ..SS     ..TT     TT..     SS..          0 ↔ 3, 1 ↔ 2        S = ad, T = bc
 *  2       ..X.     ...X     X...     .X..          0 ↔ 1, 2 ↔ 3        X = abcd
 *  3       ..XX     -        -        XX..          1 → 0, 2 → 3
 *  4       XXXX     -        -        -             3 → 0
 */
#include "patterns/lg.h"
#include "primitives/bine.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  coll_bine_tree t = coll_bine_here(c, a->root);
  void *sum = t.v ? coll_scratch(c, n) : a->out;
  coll_copy(c, sum, a->in, n);
  coll_bine_reduce_scatter(c, sum, n, coll_bine_rank(&t, t.low));
  coll_bine_gather(c, &t, coll_at(c, sum, coll_bine_held(&t, n, t.node.lo, t.node.hi).first), n);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  double n = (double)(a->count * a->elem);
  return coll_bine_cost(a->size, n, alpha, beta, gamma) + coll_lg_up(a->size) * alpha +
         (a->size - 1.0) / a->size * n * beta;
}

static bool exact(const coll_args *a) { return coll_bine_exact(a->size, a->count); }

const coll_alg reduce_bine_reduce_scatter_gather = {
  .key = "reduce/bine_reduce_scatter_gather",
  .collective = COLL_REDUCE,
  .summary = "Bine's reduce-scatter, then a gather up a Bine tree",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
