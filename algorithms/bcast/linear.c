/* bcast/linear
 * Idea     the root sends everything to everybody, all sends at once
 * Rounds   p-1
 * Cost     (p-1) (alpha + n beta)          n = bytes; exact for any p and root where a rank sends one message at a time
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Alessio; Open MPI's coll/tuned bcast 1
 *
 *          rank 0   rank 1   rank 2        root 0
 *  start   x        .        .
 *  1       x        x        x             0 → 1, 0 → 2
 */
#include "collscope.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  if (c->rank != a->root) {
    coll_recv(c, a->out, a->count, a->root);
    return;
  }
  coll_req *sent = coll_keep(c, sizeof(coll_req) * (size_t)c->size);
  int k = 0;
  for (int to = 0; to < c->size; to++)
    if (to != c->rank) sent[k++] = coll_isend(c, a->out, a->count, to);
  coll_waitall(c, k, sent);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? (a->size - 1) * (alpha + (double)(a->count * a->elem) * beta) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg bcast_linear = {
  .key = "bcast/linear",
  .collective = COLL_BCAST,
  .summary = "the root sends to everybody at once",
  .source = "Alessio",
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 1 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
