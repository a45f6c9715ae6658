/* Ring primitives of the twins: as the bucket primitives, but the next receive is posted before the block that has
 * come is reduced and sent on, everything happens in one vector, and the sum of block r+ahead ends at rank r. The
 * operator must commute. */
#ifndef COLLSCOPE_PRIMITIVES_RING_H
#define COLLSCOPE_PRIMITIVES_RING_H

#include "collscope.h"
#include "patterns/block.h"

/* Reduces piece `piece` of `pieces` of every block of sum[n], where each rank's own contribution lies at the start. displs: if not NULL,
 * the cut in place of coll_block.
 * inbox: two buffers for the longest piece. Any p >= 2. */
void coll_ring_reduce(coll_ctx *, void *sum, size_t n, const size_t *displs, int ahead, int piece, int pieces,
                      void *const inbox[2]);

/* How a vector is cut into p blocks: where block i lies, and what block() has to know for it. */
typedef struct {
  coll_span (*block)(const void *how, int i);
  const void *how;
} coll_cut;

/* A rank has block `own` of `all`, its left neighbour the one before; afterwards it has every block: p-1 rounds, in each
 * of which what came last goes on to the right. */
void coll_ring_allgather(coll_ctx *, void *all, int own, coll_cut cut);

/* The same where n elements are cut as evenly as can be, and rank r has block r+ahead. */
void coll_ring_allgather_even(coll_ctx *, void *all, size_t n, int ahead);

/* The allreduce made of both: the blocks go around in `pieces` pieces to be reduced, and whole to be gathered. */
void coll_ring_allreduce(coll_ctx *, const coll_args *, int pieces);

#endif
