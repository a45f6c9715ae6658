/* allgather/bine
 * Idea     exchange all that one has with a rank 1, 1, 3, 5, 11, … away, to the right and to the left in turn: what one has is a range
 *          of blocks around one's own, in one message, or two where the range goes over the end of the vector. With p odd the last
 *          rank leaves its part to the one before
 * Rounds   ⌈lg p⌉ for p even; 2 more for p odd
 * Cost     (lg p + max(0, lg p - 2)) alpha + (p-1) m beta          m = bytes of a block; exact for p a power of two
 * Needs    any p, any count
 * Scratch  none
 * Source   De Sensi et al. 2025 (SC '25), doi:10.1145/3712285.3759835, arXiv:2508.17311
 *
 *          rank 0   rank 1   rank 2   rank 3
 *  start   a...     .b..     ..c.     ...d
 *  1       ab..     ab..     ..cd     ..cd          0 ↔ 1, 2 ↔ 3
 *  2       abcd     abcd     abcd     abcd          0 ↔ 3, 1 ↔ 2
 */
#include "patterns/lg.h"
#include "primitives/bine.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count;
  if (!m) return;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
  coll_bine_allgather(c, a->out, (size_t)c->size * m, 0);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_bine_cost(a->size, (double)a->size * (double)(a->count * a->elem), alpha, beta, 0) : 0;
}

static bool exact(const coll_args *a) { return !a->count || coll_is_power_of_two(a->size); }

const coll_alg allgather_bine = {
  .key = "allgather/bine",
  .collective = COLL_ALLGATHER,
  .summary = "Bine butterfly: exchange everything at distance 1, 1, 3, 5, 11, …, to the right and to the left in turn",
  .source = "De Sensi et al. 2025, doi:10.1145/3712285.3759835",
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
