/* rotation/serial
 * Idea     blocking calls, one after the other around the ring: rank 0 sends first, every other rank waits for its
 *          neighbour's block before it sends its own. Right, free of deadlock, and p times as slow as it has to be:
 *          the trap
 * Rounds   p
 * Cost     p (alpha + m beta)          m = bytes of a block; exact for any p > 1
 * Needs    any p, any count
 * Scratch  none; in place one block, but at rank 0
 * Source   Bird, section III-B
 *
 *          rank 0   rank 1   rank 2
 *  start   a        b        c
 *  1       a        b        c/a           0 → 2 (both blocks are there until rank 2 has sent)
 *  2       a        b/c      a             2 → 1
 *  3       b        c        a             1 → 0
 */
#include "../collscope.h"
#include "../patterns/ring.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  if (c->size == 1) {
    coll_copy(c, a->out, a->in, a->count);
    return;
  }
  int left = coll_ring_left(c->size, c->rank), right = coll_ring_right(c->size, c->rank);
  if (c->rank == 0) {
    coll_send(c, a->in, a->count, left);
    coll_recv(c, a->out, a->count, right);
    return;
  }
  void *arrive = a->in_place ? coll_scratch(c, a->count) : a->out;
  coll_recv(c, arrive, a->count, right);
  coll_send(c, a->in, a->count, left);
  coll_copy(c, a->out, arrive, a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->size > 1 && a->count ? a->size * (alpha + (double)a->count * (double)a->elem * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg rotation_serial = {
  .key = "rotation/serial", .collective = COLL_ROTATION,
  .summary = "blocking, one rank after the other around the ring: what not to do",
  .source = "Bird, section III-B", .run = run, .cost = cost, .exact = exact,
};
