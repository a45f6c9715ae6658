/* allgather/neighbor_exchange
 * Idea     exchange with the neighbours on either side in turn, always the two blocks that came last
 * Rounds   p/2
 * Cost     (p/2) alpha + (p-1) m beta          m = bytes of a block; exact
 * Needs    p even (or 1), any count
 * Scratch  none
 * Source   Chen et al. 2005, doi:10.1109/HPCASIA.2005.75; Open MPI's coll/tuned allgather 5
 *
 *          rank 0   rank 1   rank 2   rank 3
 *  start   a...     .b..     ..c.     ...d
 *  1       ab..     ab..     ..cd     ..cd          0 ↔ 1, 2 ↔ 3
 *  2       abcd     abcd     abcd     abcd          1 ↔ 2, 3 ↔ 0
 */
#include "collscope.h"
#include "patterns/ring.h"

static const char *supports(const coll_args *a) {
  return a->size % 2 && a->size > 1
             ? "needs an even number of ranks; Open MPI takes allgather/bucket (its ring) instead"
             : NULL;
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  size_t m = a->count;
  if (!m) return;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
  if (p < 2) return;

  bool even = c->rank % 2 == 0;
  int up = coll_ring_right(p, c->rank), down = coll_ring_left(p, c->rank), pair = c->rank - c->rank % 2;
  int partner[2] = { even ? up : down, even ? down : up };
  coll_sendrecv(c, coll_at(c, a->out, (size_t)c->rank * m), m, partner[0], coll_at(c, a->out, (size_t)partner[0] * m),
                m, partner[0]);

  /* Pairs of blocks come alternately from one side and the other, each time from two ranks farther away. */
  int from[2] = { pair, pair }, stride[2] = { even ? 2 : p - 2, even ? p - 2 : 2 }, last = pair;
  for (int i = 1; i < p / 2; i++) {
    int side = i % 2;
    from[side] = (from[side] + stride[side]) % p;
    coll_sendrecv(c, coll_at(c, a->out, (size_t)last * m), 2 * m, partner[side],
                  coll_at(c, a->out, (size_t)from[side] * m), 2 * m, partner[side]);
    last = from[side];
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? a->size / 2 * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgather_neighbor_exchange = {
  .key = "allgather/neighbor_exchange",
  .collective = COLL_ALLGATHER,
  .summary = "pairs of blocks exchanged with either neighbour in turn",
  .source = "Chen et al. 2005, doi:10.1109/HPCASIA.2005.75",
  .twin = { "Open MPI", 5 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
