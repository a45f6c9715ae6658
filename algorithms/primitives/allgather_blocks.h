/* Allgathers of blocks of any lengths: rank i has elements first[i]·m … first[i+1]·m - 1 of `all`, and gets the rest.
 * first NULL: block i is elements i·m … (i+1)·m - 1. */
#ifndef COLLSCOPE_PRIMITIVES_ALLGATHER_BLOCKS_H
#define COLLSCOPE_PRIMITIVES_ALLGATHER_BLOCKS_H

#include "collscope.h"

/* p a power of two: exchange all that one has at distance 1, 2, 4, … */
void coll_blocks_doubling(coll_ctx *, void *all, size_t m, const int *first);

/* Any p: pass blocks to the right. */
void coll_blocks_ring(coll_ctx *, void *all, size_t m, const int *first);

#endif
