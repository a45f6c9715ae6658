/* rotation/ordered
 * Idea     blocking calls, free of deadlock by order: even ranks send first, odd ranks receive first
 * Rounds   2 for even p, 3 for odd p > 1: ranks 0 and p-1 are neighbours and both send first
 * Cost     rounds (alpha + m beta)          m = bytes of a block; exact for any p
 * Needs    any p, any count
 * Scratch  none; in place one block at odd ranks
 * Source   Bird, section III-B
 *
 *          rank 0   rank 1   rank 2
 *  start   a        b        c
 *  1       a        b/c      c             2 → 1 (both blocks are there until rank 1 has sent)
 *  2       a        b/c      a             0 → 2
 *  3       b        c        a             1 → 0
 */
#include "primitives/rotate.h"

static void run(coll_ctx *c, const coll_args *a) { coll_rotate_in_turn(c, a, c->rank % 2 == 0); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  int rounds = a->size > 1 ? 2 + a->size % 2 : 0;
  return a->count ? rounds * (alpha + (double)a->count * (double)a->elem * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg rotation_ordered = {
  .key = "rotation/ordered",
  .collective = COLL_ROTATION,
  .summary = "blocking sends and receives, even ranks send first",
  .source = "Bird, section III-B",
  .run = run,
  .cost = cost,
  .exact = exact,
};
