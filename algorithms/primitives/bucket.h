/* Bucket primitives: long vectors, p-1 rounds. Ranks form a ring, and in every round each sends one block to the right
 * while it receives another from the left. Any p, any n > 0; blocks are those of coll_block(n, p, i), and empty ones
 * travel as empty messages.
 *
 * Costs: seconds, for the one-port network. Algorithms send nothing for n = 0: cost 0.
 */
#ifndef COLLSCOPE_PRIMITIVES_BUCKET_H
#define COLLSCOPE_PRIMITIVES_BUCKET_H

#include "collscope.h"
#include "patterns/block.h"

/* Rank r has block r at its place in all[n]; afterwards it has every block. */
void coll_bucket_allgather(coll_ctx *c, void *all, size_t n);

/* Rank r's `own` gets block r of the sum of everybody's in[n]. own is either the place of block r inside in, or
 * overlaps nothing of in. Nothing else of in is written. The operator must commute: the sum of block b starts at rank b+1.
 * displs: if not NULL, the cut in place of coll_block. */
void coll_bucket_reduce_scatter(coll_ctx *c, const void *in, void *own, size_t n, const size_t *displs);

/* Of either, for n elements, with gamma = 0 for the allgather. In every round some rank waits for the longest block, and
 * that block's way around the ring is the longest path: exact for any p and n. (p-1)/p n when p divides n. */
static inline double coll_bucket_cost(int p, size_t n, size_t elem, double alpha, double beta, double gamma) {
  return n ? (p - 1) * (alpha + (double)(coll_block_max(n, p) * elem) * (beta + gamma)) : 0;
}
static inline double coll_bucket_cost_of(const coll_args *a, double alpha, double beta, double gamma) {
  size_t longest = coll_block_max_of(a->displs, a->count, a->size);
  return a->count ? (a->size - 1) * (alpha + (double)(longest * a->elem) * (beta + gamma)) : 0;
}

#endif
