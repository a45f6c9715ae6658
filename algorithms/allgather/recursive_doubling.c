/* allgather/recursive_doubling
 * Idea     exchange all that one has with the rank at distance 1, 2, 4, …
 * Rounds   lg p
 * Cost     lg p alpha + (p-1) m beta          m = bytes of a block; exact
 * Needs    p a power of two, any count
 * Scratch  none
 * Source   Kandalla; Open MPI's coll/tuned allgather 3
 *
 *          rank 0   rank 1   rank 2   rank 3
 *  start   a...     .b..     ..c.     ...d
 *  1       ab..     ab..     ..cd     ..cd          0 ↔ 1, 2 ↔ 3
 *  2       abcd     abcd     abcd     abcd          0 ↔ 2, 1 ↔ 3
 */
#include "patterns/lg.h"
#include "primitives/allgather_blocks.h"

static const char *supports(const coll_args *a) {
  return coll_is_power_of_two(a->size) ? NULL : "needs a power of two of ranks; Open MPI takes allgather/bruck instead";
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count;
  if (!m) return;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
  coll_blocks_doubling(c, a->out, m, NULL);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_lg_up(a->size) * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgather_recursive_doubling = {
  .key = "allgather/recursive_doubling",
  .collective = COLL_ALLGATHER,
  .summary = "exchange everything at distance 1, 2, 4, …",
  .source = "Kandalla",
  .twin = { "Open MPI", 3 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
