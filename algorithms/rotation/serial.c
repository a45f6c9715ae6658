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
#include "primitives/rotate.h"

static void run(coll_ctx *c, const coll_args *a) { coll_rotate_in_turn(c, a, c->rank == 0); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->size > 1 && a->count ? a->size * (alpha + (double)a->count * (double)a->elem * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg rotation_serial = {
  .key = "rotation/serial",
  .collective = COLL_ROTATION,
  .summary = "blocking, one rank after the other around the ring: what not to do",
  .source = "Bird, section III-B",
  .run = run,
  .cost = cost,
  .exact = exact,
};
