/* reduce_scatter/bucket
 * Idea     each block goes once around the ring, from its right neighbour to its own rank, and is added to on its way
 * Rounds   p-1
 * Cost     (p-1) (alpha + m (beta + gamma))          m = bytes of the longest block: n/p when p divides the count;
 *          exact for any p and counts
 * Needs    any p, any counts; an operator that commutes
 * Scratch  at most two blocks
 * Source   Chan et al. 2007, doi:10.1002/cpe.1206; Bird (long vectors)
 *
 *          rank 0        rank 1        rank 2        block 1 of rank 0 is 0b
 *  start   0a 0b 0c      1a 1b 1c      2a 2b 2c
 *  1       .  2b+0b .    .  .  0c+1c   1a+2a . .     0 → 1: c, 1 → 2: a, 2 → 0: b
 *  2       A             B             C             0 → 1: b, 1 → 2: c, 2 → 0: a
 */
#include "patterns/rank_block.h"
#include "primitives/bucket.h"
#include "primitives/move_down.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_span own = coll_rank_part(a, c->rank);
  void *sum = a->in_place ? coll_at(c, a->out, own.first) : a->out;
  coll_bucket_reduce_scatter(c, a->in, sum, a->count, a->displs);
  if (a->in_place) coll_move_down(c, a->out, own.first, own.count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_bucket_cost_of(a, alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg reduce_scatter_bucket = {
  .key = "reduce_scatter/bucket",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "add up blocks around a ring of neighbours",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, long vectors",
  .flags = COLL_COMMUTATIVE_ONLY | COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
