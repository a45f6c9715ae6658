/* barrier/double_ring
 * Idea     a token goes around the ring twice: once to collect, once to set free
 * Rounds   2 p (p > 1)
 * Cost     2 p alpha          exact
 * Needs    any p
 * Scratch  none
 * Source   Open MPI's coll/tuned barrier 2
 *
 *          rank 0   rank 1   rank 2        who is known to have come
 *  start   0        1        2
 *  1-3     012      01       012           0 → 1, 1 → 2, 2 → 0
 *  4-6     012      012      012           the same once more
 */
#include "patterns/ring.h"
#include "primitives/signal.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (c->size < 2) return;
  int left = coll_ring_left(c->size, c->rank), right = coll_ring_right(c->size, c->rank);
  for (int round = 0; round < 2; round++) { /* rank 0 starts a round and ends it */
    if (c->rank) coll_hear(c, left);
    coll_signal(c, right);
    if (!c->rank) coll_hear(c, left);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->size > 1 ? 2 * a->size * alpha : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg barrier_double_ring = {
  .key = "barrier/double_ring",
  .collective = COLL_BARRIER,
  .summary = "a token goes around the ring twice",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 2 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
