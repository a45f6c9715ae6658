/* allgatherv/circulant
 * Idea     as allgatherv/bruck, but distances double as p's halves do, rounded up, so that all messages of a round hold as many blocks
 * Rounds   ⌈lg p⌉
 * Cost     each round alpha and the longest message of it; exact for blocks of one length, m bytes: ⌈lg p⌉ alpha + (p-1) m beta
 * Needs    any p, any counts
 * Scratch  all blocks
 * Source   Traff 2024, arXiv 2410.14234
 *
 *          rank 0   rank 1   rank 2           rank 1 has two elements; distances 1, 2
 *  start   a...     bb..     c...
 *  1       abb.     bbc.     ca..             one to the left neighbour
 *  2       abbc     bbca     cabb             one block to the second on the left
 *  turn    abbc     abbc     abbc
 */
#include "patterns/circulant.h"
#include "primitives/following_blocks.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_circulant g = coll_circulant_make(c->size);
  coll_following_allgather(c, a, g.skip, g.q);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_circulant g = coll_circulant_make(a->size);
  return coll_following_cost(a, g.skip, g.q, alpha, beta);
}

static bool exact(const coll_args *a) { return !a->displs; }

const coll_alg allgatherv_circulant = {
  .key = "allgatherv/circulant",
  .collective = COLL_ALLGATHERV,
  .summary = "doubling on the circulant graph, the same rounds for every p",
  .source = "Traff 2024, arXiv 2410.14234",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
