/* allgatherv/bruck
 * Idea     send all that one has to the left at distance 1, 2, 4, …, own block first; in the end turn the blocks into
 *          place
 * Rounds   ⌈lg p⌉
 * Cost     each round alpha and the longest message of it; exact for blocks of one length, m bytes: ⌈lg p⌉ alpha + (p-1) m beta
 * Needs    any p, any counts
 * Scratch  all blocks
 * Source   Bruck et al. 1997, doi:10.1109/71.642949; Open MPI's coll/tuned allgatherv 2, whose messages are indexed types in place of
 *          the turn
 *
 *          rank 0   rank 1   rank 2           rank 1 has two elements
 *  start   a...     bb..     c...
 *  1       abb.     bbc.     ca..             each to the left neighbour
 *  2       abbc     bbca     cabb             one block to the second on the left
 *  turn    abbc     abbc     abbc
 */
#include "primitives/following_blocks.h"

enum { MAX_ROUNDS = 31 };

static int skips(int p, int *skip) {
  int q = 0;
  for (skip[0] = 1; skip[q] < p; q++) skip[q + 1] = skip[q] > p / 2 ? p : 2 * skip[q];
  return q;
}

static void run(coll_ctx *c, const coll_args *a) {
  int skip[MAX_ROUNDS + 1], q = skips(c->size, skip);
  coll_following_allgather(c, a, skip, q);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  int skip[MAX_ROUNDS + 1], q = skips(a->size, skip);
  return coll_following_cost(a, skip, q, alpha, beta);
}

static bool exact(const coll_args *a) { return !a->displs; }

const coll_alg allgatherv_bruck = {
  .key = "allgatherv/bruck",
  .collective = COLL_ALLGATHERV,
  .summary = "send everything to the left at distance 1, 2, 4, …",
  .source = "Bruck et al. 1997, doi:10.1109/71.642949",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
