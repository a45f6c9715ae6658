/* gather/bine
 * Idea     pairs of neighbours join their blocks, then ranks ever farther apart: the Bine tree, whose parts are ranges of the ring
 * Rounds   ⌈lg p⌉
 * Cost     lg p alpha + (p-1) m beta          m = bytes of a block; exact for p a power of two
 * Needs    any p, any root, any count
 * Scratch  the blocks of its part of the tree at ranks with children
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   a        b        c        d
 *  1       ab       -        -        cd            1 → 0, 2 → 3
 *  2       abcd     -        -        -             3 → 0
 */
#include "patterns/lg.h"
#include "primitives/bine.h"
#include "primitives/turn.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t m = a->count, n = (size_t)c->size * m;
  coll_bine_tree t = coll_bine_here(c, a->root);
  if (!t.node.children && t.v) {
    coll_send(c, a->in, m, coll_bine_rank(&t, t.node.parent));
    return;
  }
  /* Blocks lie in the order of the tree; only where it begins with rank 0 is that the order of the result. */
  int least = coll_bine_rank(&t, t.low);
  void *hold = t.v || least ? coll_scratch(c, (size_t)(t.node.hi - t.node.lo) * m) : a->out;
  coll_copy(c, coll_at(c, hold, (size_t)(t.v - t.node.lo) * m), a->in, m);
  coll_bine_gather(c, &t, hold, n);
  if (!t.v) coll_turn(c, a->out, hold, m, least);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_lg_up(a->size) * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of_two(a->size); }

const coll_alg gather_bine = {
  .key = "gather/bine",
  .collective = COLL_GATHER,
  .summary = "Bine tree: blocks join at doubling distances, to the right and to the left in turn",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .run = run,
  .cost = cost,
  .exact = exact,
};
