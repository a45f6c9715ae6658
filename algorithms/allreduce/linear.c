/* allreduce/linear
 * Idea     rank 0 takes everybody's vector in turn and adds it up, then sends the sum to everybody at once
 * Rounds   2 (p-1)
 * Cost     (p-1) (2 alpha + 2 n beta + n gamma)          n = bytes; exact where a rank sends one message at a time
 * Needs    any p, any count; keeps the rank order
 * Scratch  one vector at rank 0; two in place
 * Source   Open MPI's coll/tuned allreduce 1
 *
 *          rank 0   rank 1   rank 2
 *  start   a        b        c
 *  1       c        b        .             2 → 0
 *  2       bc       .        .             1 → 0
 *  3       X        X        X             its own; 0 → 1, 0 → 2        X = abc
 */
#include "collscope.h"

extern const coll_alg reduce_linear, bcast_linear;

static void run(coll_ctx *c, const coll_args *a) {
  coll_args part = *a;
  part.root = 0;
  reduce_linear.run(c, &part);
  bcast_linear.run(c, &part);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? (a->size - 1) * (2 * alpha + (double)(a->count * a->elem) * (2 * beta + gamma)) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allreduce_linear = {
  .key = "allreduce/linear",
  .collective = COLL_ALLREDUCE,
  .summary = "rank 0 adds up each rank's vector in turn and sends the sum to all",
  .source = "Open MPI, coll/tuned",
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 1 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
