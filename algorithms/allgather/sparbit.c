/* allgather/sparbit
 * Idea     as Bruck, but the farthest ranks first: what travels far is little. A step that would bring a block twice
 *          leaves out the one that came last. Blocks go to their places, a message each
 * Rounds   ⌈lg p⌉ groups of messages
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact; the messages of a step go out together
 * Needs    any p, any count
 * Scratch  none
 * Source   Loch, Koslovski 2021, "Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather algorithm";
 *          Open MPI 5.0's coll/tuned allgather 7
 *
 *          rank 0   rank 1   rank 2   rank 3
 *  start   a...     .b..     ..c.     ...d
 *  1       a.c.     .b.d     a.c.     .b.d          to the second on the right
 *  2       abcd     abcd     abcd     abcd          two blocks to the right neighbour
 */
#include "collscope.h"
#include "patterns/lg.h"

static int around(long rank, int p) { return (int)((rank % p + p) % p); }

/* Whether the block that came last must stay behind in the step of this distance: in the binary digits of p above its
 * lowest one-bit a zero stands there (or it is that lowest bit). */
static bool left_out(int p, int distance) {
  int lowest = p & -p;
  return distance == lowest || (distance > lowest && !(p & distance));
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, have = 1;
  size_t m = a->count;
  if (!m) return;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
  coll_req *reqs = coll_keep(c, 2 * (size_t)p * sizeof *reqs);
  for (int distance = 1 << coll_lg_up(p) >> 1; distance; distance /= 2) {
    int to = around(c->rank + distance, p), from = around(c->rank - distance, p), n = 0;
    int leave = left_out(p, distance), moved = have - leave;
    for (int i = 0; i < moved; i++) {
      int give = around(c->rank - 2L * i * distance, p), take = around(c->rank - (2L * i + 1) * distance, p);
      reqs[n++] = coll_isend(c, coll_at(c, a->out, (size_t)give * m), m, to);
      reqs[n++] = coll_irecv(c, coll_at(c, a->out, (size_t)take * m), m, from);
    }
    coll_waitall(c, n, reqs);
    have = 2 * have - leave;
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? (a->size - 1) * (alpha + (double)(a->count * a->elem) * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgather_sparbit = {
  .key = "allgather/sparbit",
  .collective = COLL_ALLGATHER,
  .summary = "Bruck with the farthest ranks first",
  .source = "Loch, Koslovski 2021, Sparbit",
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 7 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
