/* Bruck's algorithms with radix k: distances are written in base k, and a step is for one digit. Its k-1 messages, one for
 * each value that the digit may have, are under way at once. Any p, any k >= 2, any m > 0. */
#ifndef COLLSCOPE_PRIMITIVES_BRUCK_H
#define COLLSCOPE_PRIMITIVES_BRUCK_H

#include "collscope.h"

/* all starts with this rank's own m elements; in the end it holds p blocks: this rank's, its right neighbour's, … */
void coll_bruck_allgather(coll_ctx *, void *all, size_t m, int k);

/* An alltoall, not in place. */
void coll_bruck_alltoall(coll_ctx *, const coll_args *, int k);

/* What each rank sends in either: as many messages; and in the alltoall as many blocks as the numbers below p have digits
 * that are not 0. The allgather's are p-1 blocks. */
int coll_bruck_messages(int p, int k);
int coll_bruck_travels(int p, int k);

#endif
