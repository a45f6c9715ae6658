/* rotation/shift
 * Idea     every rank sends its block to the left while one arrives from the right, in one combined call
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
  coll_sendrecv(c, a->in, a->count, left, arrive, a->count, right);
  coll_copy(c, a->out, arrive, a->count);
}

static void run(coll_ctx *c, const coll_args *a) { coll_rotate(c, a, exchange); }

static bool exact(const coll_args *a) { return true; }

const coll_alg rotation_shift = {
  .key = "rotation/shift",
  .collective = COLL_ROTATION,
  .summary = "one combined send and receive at every rank",
  .source = "Bird, section III-B",
  .run = run,
  .cost = coll_rotate_cost,
  .exact = exact,
};
