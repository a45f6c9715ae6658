/* bcast/bine_scatter_allgather
 * Idea     the vector is cut into one block per rank and scattered down the Bine tree; Bine's allgather, to ever farther ranks, brings
 *          the blocks together everywhere. Blocks are numbered in the tree's order, around the root
 * Rounds   2 ⌈lg p⌉, with up to two messages each in the second half; 2 more for p odd
 * Cost     (2 lg p + max(0, lg p - 2)) alpha + 2 (p-1)/p n beta          n = bytes; exact for p a power of two that divides
 *          the count
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0; of four ranks the tree's order is 2 3 0 1
 *  start   abcd     .        .        .
 *  1       ..cd     .        .        ab..          0 → 3
 *  2       ..c.     ...d     a...     .b..          0 → 1, 3 → 2
 *  3       ..cd     ..cd     ab..     ab..          0 ↔ 1, 2 ↔ 3
 *  4       abcd     abcd     abcd     abcd          0 ↔ 3, 1 ↔ 2
 */
#include "patterns/lg.h"
#include "primitives/bine.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (c->size < 2 || !n) return;
  coll_bine_tree t = coll_bine_here(c, a->root);
  coll_bine_scatter(c, &t, coll_at(c, a->out, coll_bine_held(&t, n, t.node.lo, t.node.hi).first), n);
  coll_bine_allgather(c, a->out, n, coll_bine_rank(&t, t.low));
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  double n = (double)(a->count * a->elem);
  return coll_lg_up(a->size) * alpha + (a->size - 1.0) / a->size * n * beta +
         coll_bine_cost(a->size, n, alpha, beta, 0);
}

static bool exact(const coll_args *a) { return coll_bine_exact(a->size, a->count); }

const coll_alg bcast_bine_scatter_allgather = {
  .key = "bcast/bine_scatter_allgather",
  .collective = COLL_BCAST,
  .summary = "scatter down a Bine tree, then Bine's allgather",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
