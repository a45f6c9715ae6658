/* allgather/bucket
 * Idea     pass on, to the right, the block received last: a ring of neighbours
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact for any p
 * Needs    any p, any count
 * Scratch  none
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (long vectors); Open MPI's coll/tuned allgather 4 (ring)
 *
 *          rank 0   rank 1   rank 2
 *  start   a..      .b.      ..c
 *  1       a.c      ab.      .bc
 *  2       abc      abc      abc
 */
#include "primitives/bucket.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * a->count), a->in, a->count);
  coll_bucket_allgather(c, a->out, (size_t)c->size * a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_bucket_cost(a->size, (size_t)a->size * a->count, a->elem, alpha, beta, 0);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgather_bucket = {
  .key = "allgather/bucket",
  .collective = COLL_ALLGATHER,
  .summary = "pass blocks around a ring of neighbours",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, long vectors",
  .twin = { "Open MPI", 4 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
