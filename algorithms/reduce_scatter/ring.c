/* reduce_scatter/ring
 * Idea     sums of blocks travel around the ring; the next one is already being received while one is added to and
 *          sent on
 * Rounds   p-1
 * Cost     (p-1) (alpha + (n/p) (beta + gamma))          n = bytes of the vector, n/p those of the longest block; exact when p divides
 *          the count
 * Needs    any p, any counts; the operator must commute
 * Scratch  a vector and two blocks
 * Source   Open MPI's coll/tuned reduce_scatter 3
 *
 *          rank 0   rank 1   rank 2        rows: blocks 0-2
 *  start   aaa      bbb      ccc
 *  1       .S.      ..T      U..           block r-1 goes to the right        S = ca, T = ab, U = bc
 *  2       X..      .X.      ..X           and on, to where it belongs        X = abc
 */
#include "patterns/rank_block.h"
#include "primitives/ring.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  if (c->size < 2) {
    coll_copy(c, a->out, a->in, a->count);
    return;
  }
  void *sum = coll_scratch(c, a->count);
  size_t longest = coll_block_max_of(a->displs, a->count, c->size);
  void *inbox[2] = { coll_scratch(c, longest), c->size > 2 ? coll_scratch(c, longest) : NULL };
  coll_copy(c, sum, a->in, a->count);
  coll_ring_reduce(c, sum, a->count, a->displs, 0, 0, 1, inbox);
  coll_span own = coll_rank_part(a, c->rank);
  coll_copy(c, a->out, coll_at(c, sum, own.first), own.count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double p = a->size, block = (double)(a->count * a->elem) / p;
  if (a->displs) block = (double)(coll_block_max_of(a->displs, a->count, a->size) * a->elem);
  return a->count ? (p - 1) * (alpha + block * (beta + gamma)) : 0;
}

static bool exact(const coll_args *a) { return !a->displs && a->count % (size_t)a->size == 0; }

const coll_alg reduce_scatter_ring = {
  .key = "reduce_scatter/ring",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "sums of blocks travel around a ring, receives posted ahead",
  .source = "Open MPI, coll/tuned",
  .flags = COLL_COMMUTATIVE_ONLY | COLL_ANY_BLOCKS,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 3 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
