/* rotation/nonblocking
 * Idea     every rank posts its receive, posts its send, and waits for both
 * Rounds   1
 * Cost     alpha + m beta          m = bytes of a block; exact for any p > 1
 * Needs    any p, any count
 * Scratch  none; in place one block
 * Source   Bird, section III-B
 *
 *          rank 0   rank 1   rank 2
 *  start   a        b        c
 *  1       b        c        a             0 → 2, 1 → 0, 2 → 1
 */
#include "primitives/rotate.h"

static void exchange(coll_ctx *c, const coll_args *a, int left, int right) {
  void *arrive = a->in_place ? coll_scratch(c, a->count) : a->out;
  coll_req reqs[2];
  reqs[0] = coll_irecv(c, arrive, a->count, right);
  reqs[1] = coll_isend(c, a->in, a->count, left);
  coll_waitall(c, 2, reqs);
  coll_copy(c, a->out, arrive, a->count);
}

static void run(coll_ctx *c, const coll_args *a) { coll_rotate(c, a, exchange); }

static bool exact(const coll_args *a) { return true; }

const coll_alg rotation_nonblocking = {
  .key = "rotation/nonblocking",
  .collective = COLL_ROTATION,
  .summary = "non-blocking receive and send, then wait for both",
  .source = "Bird, section III-B",
  .run = run,
  .cost = coll_rotate_cost,
  .exact = exact,
};
