/* scatter/bine
 * Idea     the root sends half of the blocks a third of the ring away, then half of the rest to an ever nearer rank; so do all who have
 *          more than their own: the Bine tree, whose parts are ranges of the ring
 * Rounds   ⌈lg p⌉
 * Cost     lg p alpha + (p-1) m beta          m = bytes of a block; exact for p a power of two
 * Needs    any p, any root, any count
 * Scratch  the blocks of its part of the tree at ranks with children
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   abcd     .        .        .
 *  1       ab       .        .        cd            0 → 3
 *  2       a        b        c        d             0 → 1, 3 → 2
 */
#include "patterns/lg.h"
#include "primitives/bine.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t m = a->count, n = (size_t)c->size * m;
  coll_bine_tree t = coll_bine_here(c, a->root);
  if (!t.node.children && t.v) {
    coll_recv(c, a->out, m, coll_bine_rank(&t, t.node.parent));
    return;
  }
  /* Blocks lie in the order of the tree; only where it begins with rank 0 is that the order of the root's. */
  int least = coll_bine_rank(&t, t.low);
  void *hold = t.v || least ? coll_scratch(c, (size_t)(t.node.hi - t.node.lo) * m) : (void *)(uintptr_t)a->in;
  if (!t.v && least) {
    size_t before = (size_t)least * m, after = n - before;
    coll_copy(c, hold, coll_at(c, a->in, before), after);
    coll_copy(c, coll_at(c, hold, after), a->in, before);
  }
  coll_bine_scatter(c, &t, hold, n);
  if (t.v || !a->in_place) coll_copy(c, a->out, coll_at(c, hold, (size_t)(t.v - t.node.lo) * m), m);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_lg_up(a->size) * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of_two(a->size); }

const coll_alg scatter_bine = {
  .key = "scatter/bine",
  .collective = COLL_SCATTER,
  .summary = "Bine tree: blocks part at halving distances, to the right and to the left in turn",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .run = run,
  .cost = cost,
  .exact = exact,
};
