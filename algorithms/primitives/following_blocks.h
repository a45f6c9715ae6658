/* An allgatherv in which a rank has the blocks of the ranks that follow it, modulo p, ever more of them: skip[0] = 1, of its own; skip[k]
 * when round k begins, and skip[q] = p, at most twice the one before. In round k it sends to the rank skip[k] before it and receives from
 * the one skip[k] after it. */
#ifndef COLLSCOPE_PRIMITIVES_FOLLOWING_BLOCKS_H
#define COLLSCOPE_PRIMITIVES_FOLLOWING_BLOCKS_H

#include "collscope.h"

void coll_following_allgather(coll_ctx *, const coll_args *, const int *skip, int q);

/* One port: in each round the longest message that some rank sends. Exact where all blocks are of one length. */
double coll_following_cost(const coll_args *, const int *skip, int q, double alpha, double beta);

#endif
