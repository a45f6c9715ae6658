/* allgather/direct
 * Idea     post the receive of each other rank's block and the send of one's own to it, the next rank first, and wait
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact
 * Needs    any p, any count
 * Scratch  none
 * Source   Open MPI 6.0's coll/tuned allgather 8, direct messaging
 *
 *          rank 0   rank 1   rank 2
 *  start   a..      .b.      ..c
 *  1       a.c      ab.      .bc           each to the right neighbour
 *  2       abc      abc      abc           each to the second on the right
 */
#include "collscope.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, n = 0;
  size_t m = a->count;
  if (!m) return;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
  coll_req *request = coll_keep(c, sizeof(coll_req) * 2 * (size_t)p);
  for (int i = 1; i < p; i++) {
    int other = (c->rank + i) % p;
    request[n++] = coll_irecv(c, coll_at(c, a->out, (size_t)other * m), m, other);
    request[n++] = coll_isend(c, a->in, m, other);
  }
  coll_waitall(c, n, request);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? (a->size - 1) * (alpha + (double)(a->count * a->elem) * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgather_direct = {
  .key = "allgather/direct",
  .collective = COLL_ALLGATHER,
  .summary = "each block straight to each rank, all at once",
  .source = "Open MPI 6.0, coll/tuned",
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
