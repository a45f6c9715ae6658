/* gather/ring
 * Idea     a chain that ends at the root: each rank sends its block to the left, then passes on those from the right,
 *          one by one
 * Rounds   2p-3 for p > 1: while a rank sends it cannot receive
 * Cost     (2p-3) (alpha + m beta)          m = bytes of a block; exact for any p > 1 and root
 * Needs    any p, any root, any count
 * Scratch  one block, but at the root and at its left neighbour, the end of the chain
 * Source   Donninelli (gather_ring)
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0; a rank shows what it has yet to send
 *  start   a        b        c        d
 *  1       ab       .        c        d             1 → 0
 *  2       ab       c        .        d             2 → 1
 *  3       abc      .        d        .             1 → 0, 3 → 2
 *  4       abc      d        .        .             2 → 1
 *  5       abcd     .        .        .             1 → 0
 */
#include "primitives/collect.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count || coll_collect(c, a)) return;
  int p = c->size, left = coll_ring_left(p, c->rank), right = coll_ring_right(p, c->rank);
  size_t m = a->count;
  coll_send(c, a->in, m, left);
  if (right == a->root) return;
  void *block = coll_scratch(c, m);
  for (int from = right; from != a->root; from = coll_ring_right(p, from)) {
    coll_recv(c, block, m, right);
    coll_send(c, block, m, left);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->size > 1 && a->count ? (2 * a->size - 3) * (alpha + (double)a->count * (double)a->elem * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg gather_ring = {
  .key = "gather/ring",
  .collective = COLL_GATHER,
  .summary = "pass blocks to the left, one at a time, until the root has all",
  .source = "Donninelli (gather_ring)",
  .run = run,
  .cost = cost,
  .exact = exact,
};
