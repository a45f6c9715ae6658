/* bcast/scatter_ring
 * Idea     scatter the vector down a binomial tree, then pass the blocks around the ring
 * Rounds   ⌈lg p⌉ + p-1
 * Cost     (⌈lg p⌉ + p-1) alpha + 2 (p-1)/p n beta          n = bytes; exact for p a power of two that divides the
 *          count
 * Needs    any p, any root, count >= p (or 0)
 * Scratch  none
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned bcast 9
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   abcd     ....     ....     ....
 *  1       abcd     ....     ..cd     ....          0 → 2
 *  2       abcd     .b..     ..cd     ...d          0 → 1, 2 → 3
 *  3-5     abcd     abcd     abcd     abcd          the blocks go around
 */
#include "patterns/lg.h"
#include "primitives/bcast_scatter.h"
#include "primitives/ring.h"

static const char *supports(const coll_args *a) {
  return a->count && a->count < (size_t)a->size
             ? "needs at least one element per rank; Open MPI takes bcast/linear instead"
             : NULL;
}

static coll_span block_of(const void *how, int i) {
  const coll_args *a = how;
  return coll_ceil_blocks(a->count, a->size, i, 1);
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  if (p < 2 || !a->count) return;
  coll_bcast_scatter(c, a);
  coll_ring_allgather(c, a->out, (c->rank - a->root + p) % p, (coll_cut){ block_of, a });
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double p = a->size, n = (double)(a->count * a->elem);
  return a->count ? (coll_lg_up(a->size) + p - 1) * alpha + 2 * (p - 1) / p * n * beta : 0;
}

static bool exact(const coll_args *a) { return coll_is_power_of_two(a->size) && a->count % (size_t)a->size == 0; }

const coll_alg bcast_scatter_ring = {
  .key = "bcast/scatter_ring",
  .collective = COLL_BCAST,
  .summary = "binomial scatter, then the blocks go around a ring",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521",
  .twin = { "Open MPI", 9 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
