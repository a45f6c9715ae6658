/* allreduce/ring_segmented[s]
 * Idea     as the ring, but blocks are cut into pieces of about s bytes; the ring of sums runs once for each piece
 * Rounds   (p-1) (k + 1)          k = n/(p s) pieces a block
 * Cost     (p-1) (k + 1) alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact when p k divides the count
 * Needs    any p, count >= p segments (or 0); the operator must commute
 * Scratch  two pieces
 * Source   Open MPI's coll/tuned allreduce 5
 *
 *          rank 0   rank 1   rank 2        rows: two pieces each of blocks 0-2
 *  start   aaaaaa   bbbbbb   cccccc
 *  1-2     ..X...   ....X.   X.....        ring of sums over the first pieces    X = abc
 *  3-4     ..XX..   ....XX   XX....        ring of sums over the second pieces
 *  5-6     XXXXXX   XXXXXX   XXXXXX        the finished blocks go around
 */
#include "patterns/segment.h"
#include "primitives/ring.h"

static const char *supports(const coll_args *a) {
  size_t p = (size_t)a->size;
  if (p < 2 || a->count >= p * coll_segment(a->count, a->elem, (size_t)a->param[0])) return NULL;
  return "needs at least one segment per rank; Open MPI takes allreduce/ring instead, or allreduce/recursive_doubling "
         "with fewer elements than ranks";
}

/* As many pieces as whole rounds of segments fit, and one more for a rest of more than half a round. */
static int pieces(const coll_args *a) {
  size_t p = (size_t)a->size, round = p * coll_segment(a->count, a->elem, (size_t)a->param[0]);
  if (!a->count || p < 2) return 1;
  size_t rest = a->count % round;
  return (int)(a->count / round) + (rest >= p && rest > round / 2);
}

static void run(coll_ctx *c, const coll_args *a) { coll_ring_allreduce(c, a, pieces(a)); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double p = a->size, n = (double)(a->count * a->elem);
  return a->count ? (p - 1) * (pieces(a) + 1) * alpha + (p - 1) / p * n * (2 * beta + gamma) : 0;
}

static bool exact(const coll_args *a) { return a->count % ((size_t)a->size * (size_t)pieces(a)) == 0; }

static const coll_param params[] = { COLL_SEGMENT_PARAM(1 << 20), { .name = NULL } };

const coll_alg allreduce_ring_segmented = {
  .key = "allreduce/ring_segmented",
  .collective = COLL_ALLREDUCE,
  .summary = "as ring, once for each piece of the blocks",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 5 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
