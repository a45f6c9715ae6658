/* gather/ring_waitall
 * Idea     a chain that ends at the root: each rank collects all that comes from the right, then sends it on at once
 * Rounds   p-1
 * Cost     (p-1) alpha + p(p-1)/2 m beta          m = bytes of a block; exact for any p and root
 * Needs    any p, any root, any count
 * Scratch  the blocks from this rank to the end of the chain; all blocks at a root that is not rank 0
 * Source   Donninelli (gather_ring_waitall)
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   a        b        c        d
 *  1       a        b        cd       -             3 → 2
 *  2       a        bcd      -        -             2 → 1
 *  3       abcd     -        -        -             1 → 0
 */
#include "patterns/ring.h"
#include "primitives/turn.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  int p = c->size, v = (c->rank - a->root + p) % p;
  size_t m = a->count, held = (size_t)(p - v) * m;
  bool last = v == p - 1; /* it sends from where its block lies */
  void *hold = v == 0 && a->root == 0 ? a->out : last && v ? (void *)a->in : coll_scratch(c, held);
  coll_copy(c, hold, a->in, m);
  if (!last) coll_recv(c, coll_at(c, hold, m), held - m, coll_ring_right(p, c->rank));
  if (v) coll_send(c, hold, held, coll_ring_left(p, c->rank));
  else coll_turn(c, a->out, hold, m, a->root);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double p = a->size;
  return a->count ? (p - 1) * alpha + p * (p - 1) / 2 * (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg gather_ring_waitall = {
  .key = "gather/ring_waitall",
  .collective = COLL_GATHER,
  .summary = "collect everything from the right, then send it to the left once",
  .source = "Donninelli (gather_ring_waitall)",
  .run = run,
  .cost = cost,
  .exact = exact,
};
