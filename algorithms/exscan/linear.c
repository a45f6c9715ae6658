/* exscan/linear
 * Idea     each rank keeps what comes from the left, and passes it on with its own added
 * Rounds   p-1
 * Cost     (p-1) (alpha + n beta) + (p-2) n gamma          n = bytes; exact
 * Needs    any p, any count; keeps the rank order
 * Scratch  one vector
 * Source   Open MPI's coll/tuned exscan 1
 *
 *          rank 0   rank 1   rank 2        results
 *  start   -        -        -
 *  1       -        a        -             0 → 1: a
 *  2       -        a        ab            1 → 2: ab
 */
#include "collscope.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  bool last = c->rank + 1 == c->size;
  if (!n || c->size < 2) return;
  if (!c->rank) {
    coll_send(c, a->in, n, 1);
    return;
  }
  void *next = NULL;
  if (!last) {
    next = coll_scratch(c, n);
    coll_copy(c, next, a->in, n);
  }
  coll_recv(c, a->out, n, c->rank - 1);
  if (last) return;
  coll_reduce(c, a->out, next, n);
  coll_send(c, next, n, c->rank + 1);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double p = a->size, n = (double)(a->count * a->elem);
  return a->count && p > 1 ? (p - 1) * (alpha + n * beta) + (p - 2) * n * gamma : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg exscan_linear = {
  .key = "exscan/linear",
  .collective = COLL_EXSCAN,
  .summary = "add up from rank to rank",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 1 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
