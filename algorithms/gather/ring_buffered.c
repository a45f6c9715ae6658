/* gather/ring_buffered
 * Idea     gather/ring, but the next block is received while the last one is still being sent: two buffers take turns
 *          where the source wanted a buffered send
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact for any p and root
 * Needs    any p, any root, any count
 * Scratch  two blocks, but at the root and at its left neighbour, the end of the chain
 * Source   Donninelli (gather_ring, the variant with MPI_Ibsend)
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0; a rank shows what it has yet to send
 *  start   a        b        c        d
 *  1       ab       c        d        .             1 → 0, 2 → 1, 3 → 2
 *  2       abc      d        .        .             1 → 0, 2 → 1
 *  3       abcd     .        .        .             1 → 0
 */
#include "primitives/collect.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count || coll_collect(c, a)) return;
  int p = c->size, left = coll_ring_left(p, c->rank), right = coll_ring_right(p, c->rank);
  size_t m = a->count;
  coll_req sending = coll_isend(c, a->in, m, left);
  void *block[2] = { NULL, NULL };
  for (int i = 0; i < 2 && right != a->root; i++) block[i] = coll_scratch(c, m);
  for (int from = right, turn = 0; from != a->root; from = coll_ring_right(p, from), turn ^= 1) {
    coll_recv(c, block[turn], m, right); /* the send under way is of the other buffer */
    coll_wait(c, &sending);
    sending = coll_isend(c, block[turn], m, left);
  }
  coll_wait(c, &sending);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? (a->size - 1) * (alpha + (double)(a->count * a->elem) * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg gather_ring_buffered = {
  .key = "gather/ring_buffered",
  .collective = COLL_GATHER,
  .summary = "pass blocks to the left, receiving the next while the last is sent",
  .source = "Donninelli (gather_ring, with buffered sends)",
  .run = run,
  .cost = cost,
  .exact = exact,
};
