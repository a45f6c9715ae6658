/* allreduce/allgather_reduce[allgather]
 * Idea     an allgather of all vectors, which each rank adds up by itself
 * Rounds   those of the allgather
 * Cost     that of the allgather, whose blocks are the vectors, and (p-1) n gamma          n = bytes; exact
 * Needs    any p, any count; keeps the rank order
 * Scratch  p vectors, and that of the allgather
 * Source   Open MPI 6.0's coll/tuned allreduce 7, whose allgather is chosen by the library, and which adds from the other side: here
 *          the key names it
 *
 *          rank 0   rank 1   rank 2
 *  start   a        b        c
 *  gather  a b c    a b c    a b c
 *  add     X        X        X             X = abc
 */
#include "collscope.h"

extern const coll_alg allgather_bruck, allgather_bucket, allgather_circulant, allgather_direct;

enum { BRUCK, BUCKET, CIRCULANT, DIRECT };
static const char *const words[] = { "bruck", "bucket", "circulant", "direct" };
static const coll_alg *const parts[] = { &allgather_bruck, &allgather_bucket, &allgather_circulant, &allgather_direct };

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  coll_args part = *a;
  part.param = NULL;
  part.in_place = false;
  part.out = coll_scratch(c, (size_t)c->size * n);
  parts[a->param[0]]->run(c, &part);
  coll_copy(c, a->out, coll_at(c, part.out, (size_t)(c->size - 1) * n), n);
  for (int r = c->size - 1; r-- > 0;) coll_reduce(c, coll_at(c, part.out, (size_t)r * n), a->out, n);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double sums = (a->size - 1.0) * (double)(a->count * a->elem) * gamma;
  return parts[a->param[0]]->cost(a, alpha, beta, gamma) + sums;
}

static bool exact(const coll_args *a) { return parts[a->param[0]]->exact(a); }

static const coll_param params[] = {
  { .name = "allgather",
    .value = BRUCK,
    .max = DIRECT,
    .words = words,
    .help = "the algorithm that brings all vectors" },
  { .name = NULL },
};

const coll_alg allreduce_allgather_reduce = {
  .key = "allreduce/allgather_reduce",
  .collective = COLL_ALLREDUCE,
  .summary = "an allgather of all vectors, added up everywhere",
  .source = "Open MPI 6.0, coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
