/* allreduce/bucket
 * Idea     reduce blocks around a ring until each rank has one of the sum, then pass those around
 * Rounds   2 (p-1)
 * Cost     2 (p-1) alpha + (p-1) m (2 beta + gamma)          m = bytes of the longest block: n/p when p divides the
 *          count; exact for any p and count
 * Needs    any p, any count; an operator that commutes
 * Scratch  at most two blocks
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (long vectors)
 *
 *                  rank 0        rank 1        rank 2        block 1 of rank 0 is 0b
 *  start           0a 0b 0c      1a 1b 1c      2a 2b 2c
 *  reduce-scatter  A  .  .       .  B  .       .  .  C       2 rounds, as in reduce_scatter/bucket
 *  allgather 1     A  .  C       A  B  .       .  B  C
 *  allgather 2     A  B  C       A  B  C       A  B  C
 */
#include "primitives/bucket.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_bucket_reduce_scatter(c, a->in, coll_at(c, a->out, coll_block(a->count, c->size, c->rank).first), a->count,
                             NULL);
  coll_bucket_allgather(c, a->out, a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_bucket_cost(a->size, a->count, a->elem, alpha, beta, gamma) +
         coll_bucket_cost(a->size, a->count, a->elem, alpha, beta, 0);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allreduce_bucket = {
  .key = "allreduce/bucket",
  .collective = COLL_ALLREDUCE,
  .summary = "add up blocks around a ring of neighbours, then pass the sums around",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, long vectors",
  .flags = COLL_COMMUTATIVE_ONLY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
