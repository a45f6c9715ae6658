/* alltoall/scattered[batch]
 * Idea     as alltoall/linear, but only so many messages at once: a batch of sends and receives, one's own block among
 *          them, then wait for all of it
 * Rounds   p-1; of p ranks together ⌈p / batch⌉
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact in one batch
 * Needs    any p, any count, two buffers
 * Scratch  none
 * Source   MPICH's scattered (Tony Ladd); batch is its ALLTOALL_THROTTLE
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b; batch=2
 *  start   00 01 02      10 11 12      20 21 22
 *  1       00 10 ..      .. 11 21      02 .. 22      own, and the left neighbour's
 *  2       00 10 20      01 11 21      02 12 22      the second's on the left
 */
#include "primitives/exchange.h"

static const char *supports(const coll_args *a) {
  return a->in_place ? "needs two buffers; MPICH takes alltoall/swap_in_order instead" : NULL;
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, batch = a->param[0] && a->param[0] < p ? (int)a->param[0] : p;
  size_t m = a->count, own = (size_t)c->rank * m;
  if (!m) return;
  coll_req *request = coll_keep(c, sizeof(coll_req) * 2 * (size_t)batch);
  coll_copy(c, coll_at(c, a->out, own), coll_at(c, a->in, own), m);
  for (int first = 0; first < p; first += batch) {
    int end = first + batch < p ? first + batch : p, n = 0;
    for (int i = first ? first : 1; i < end; i++) {
      int from = (c->rank + i) % p;
      request[n++] = coll_irecv(c, coll_at(c, a->out, (size_t)from * m), m, from);
    }
    for (int i = first ? first : 1; i < end; i++) {
      int to = (c->rank + p - i) % p;
      request[n++] = coll_isend(c, coll_at(c, a->in, (size_t)to * m), m, to);
    }
    coll_waitall(c, n, request);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_exchange_cost(a, alpha, beta);
}

static bool exact(const coll_args *a) { return !a->param[0] || a->param[0] >= a->size; }

static const coll_param params[] = {
  { "batch", 32, 0, 1L << 20, NULL, "max blocks in flight, the rank's own included; 0: all" },
  { .name = NULL },
};

const coll_alg alltoall_scattered = {
  .key = "alltoall/scattered",
  .collective = COLL_ALLTOALL,
  .summary = "all at once, in batches",
  .source = "MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
