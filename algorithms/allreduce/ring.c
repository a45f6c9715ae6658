/* allreduce/ring
 * Idea     sums of blocks travel around the ring, receives posted ahead; then the finished blocks travel around once
 *          more
 * Rounds   2 (p-1)
 * Cost     2 (p-1) alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact when p divides the count
 * Needs    any p, count >= p (or 0); the operator must commute
 * Scratch  two blocks
 * Source   Open MPI's coll/tuned allreduce 4
 *
 *          rank 0   rank 1   rank 2        rows: blocks 0-2
 *  start   aaa      bbb      ccc
 *  1       ..U      S..      .T.           block r goes to the right          S = ab, T = bc, U = ca
 *  2       .X.      ..X      X..           and on                             X = abc
 *  3-4     XXX      XXX      XXX           the finished blocks go around
 */
#include "primitives/ring.h"

static const char *supports(const coll_args *a) {
  return a->count && a->count < (size_t)a->size
             ? "needs at least one element per rank; Open MPI takes allreduce/recursive_doubling instead"
             : NULL;
}

static void run(coll_ctx *c, const coll_args *a) { coll_ring_allreduce(c, a, 1); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double p = a->size, n = (double)(a->count * a->elem);
  return a->count ? 2 * (p - 1) * alpha + (p - 1) / p * n * (2 * beta + gamma) : 0;
}

static bool exact(const coll_args *a) { return a->count % (size_t)a->size == 0; }

const coll_alg allreduce_ring = {
  .key = "allreduce/ring",
  .collective = COLL_ALLREDUCE,
  .summary = "sums of blocks travel around a ring, then the blocks do",
  .source = "Open MPI, coll/tuned",
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 4 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
