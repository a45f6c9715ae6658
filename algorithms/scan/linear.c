/* scan/linear
 * Idea     each rank adds what comes from the left to its own and passes it on
 * Rounds   p-1
 * Cost     (p-1) (alpha + n beta + n gamma)          n = bytes; exact
 * Needs    any p, any count; keeps the rank order
 * Scratch  one vector
 * Source   Open MPI's coll/tuned scan 1
 *
 *          rank 0   rank 1   rank 2
 *  start   a        b        c
 *  1       a        ab       c             0 → 1
 *  2       a        ab       abc           1 → 2
 */
#include "collscope.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  coll_copy(c, a->out, a->in, n);
  if (c->rank) {
    void *before = coll_scratch(c, n);
    coll_recv(c, before, n, c->rank - 1);
    coll_reduce(c, before, a->out, n);
  }
  if (c->rank + 1 < c->size) coll_send(c, a->out, n, c->rank + 1);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? (a->size - 1) * (alpha + (double)(a->count * a->elem) * (beta + gamma)) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg scan_linear = {
  .key = "scan/linear",
  .collective = COLL_SCAN,
  .summary = "add up from rank to rank",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 1 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
