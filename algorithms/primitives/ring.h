/* Ring primitives of the twins: as the bucket primitives, but the next receive is posted before the block that has
 * come is reduced and sent on, everything happens in one vector, and the sum of block r+ahead ends at rank r. The
 * operator must commute. */
#ifndef COLLSCOPE_PRIMITIVES_RING_H
#define COLLSCOPE_PRIMITIVES_RING_H

#include "collscope.h"
#include "patterns/block.h"

/* Reduces piece `piece` of `pieces` of every block of sum[n], where each rank's own contribution lies at the start.
 * inbox: two buffers for the longest piece. Any p >= 2. */
void coll_ring_reduce(coll_ctx *, void *sum, size_t n, int ahead, int piece, int pieces, void *const inbox[2]);

/* Rank r has block r+ahead of all[n]; afterwards it has every block. */
void coll_ring_allgather(coll_ctx *, void *all, size_t n, int ahead);

/* The allreduce made of both: the blocks go around in `pieces` pieces to be reduced, and whole to be gathered. */
void coll_ring_allreduce(coll_ctx *, const coll_args *, int pieces);

#endif
