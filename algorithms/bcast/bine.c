/* bcast/bine
 * Idea     whoever has the data sends it on, first a third of the ring away, then to ever nearer ranks, to the right and to
 *          the left in turn: the tree of patterns/bine.h, whose messages go two thirds as far as a binomial tree's
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ (alpha + n beta)          n = bytes; exact
 * Needs    any p (the paper's tree, with leaves left out where p is no power of two), any root, any count
 * Scratch  none
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4   rank 5   rank 6   rank 7        root 0
 *  start   x        .        .        .        .        .        .        .
 *  1       x        .        .        x        .        .        .        .             0 → 3
 *  2       x        .        .        x        x        .        .        x             0 → 7, 3 → 4
 *  3       x        x        x        x        x        x        x        x             0 → 1, 3 → 2, 4 → 5, 7 → 6
 */
#include "patterns/lg.h"
#include "primitives/bine.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (c->size < 2 || !a->count) return;
  coll_bine_tree t = coll_bine_here(c, a->root);
  if (t.v) coll_recv(c, a->out, a->count, coll_bine_rank(&t, t.node.parent));
  for (int i = 0; i < t.node.children; i++) coll_send(c, a->out, a->count, coll_bine_rank(&t, t.node.child[i]));
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_lg_up(a->size) * (alpha + (double)(a->count * a->elem) * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg bcast_bine = {
  .key = "bcast/bine",
  .collective = COLL_BCAST,
  .summary = "Bine tree: halving distances, to the right and to the left in turn",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .run = run,
  .cost = cost,
  .exact = exact,
};
