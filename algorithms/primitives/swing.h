/* Swing's reduce-scatter and allgather on one dimension: n elements in the blocks coll_block(n, p, i), of which rank i owns block i. Any p,
 * any n > 0.
 *
 * Ranks meet their partners of patterns/bine.h, in the allgather the farthest first, so that the longest messages go to the nearest.
 * Block b travels down the tree of patterns/bine.h whose root is b (for b odd with right and left exchanged): what two ranks exchange in a step
 * follows from their numbers. These blocks do not lie side by side: they are packed into one message. With p odd the last rank
 * leaves its part to the one before. */
#ifndef COLLSCOPE_PRIMITIVES_SWING_H
#define COLLSCOPE_PRIMITIVES_SWING_H

#include "collscope.h"
#include "patterns/block.h"
#include "primitives/peers.h"
#include "primitives/torus.h"

/* all[n] holds this rank's block at its place, in the end every block. */
void coll_swing_allgather(coll_ctx *, void *all, size_t n);

/* sum[n] holds this rank's contribution; in the end its block of everybody's sum at its place, and partial sums elsewhere. The operator
 * must commute. */
void coll_swing_reduce_scatter(coll_ctx *, void *sum, size_t n);

/* Seconds of either, n in bytes, with gamma = 0 for the allgather; exact for p a power of two that divides the count. */
double coll_swing_cost(int p, double n, double alpha, double beta, double gamma);
bool coll_swing_exact(int p, size_t n);

/* An allreduce on a torus of 2^q ranks, to which p are folded: q is spread over `dims` dimensions as evenly as can be, and the dimensions
 * take their steps in turn. ports=all: a part of the vector for each direction of each dimension, all parts at once, each beginning with
 * another one. The operator must commute. */
#define COLL_SWING_PARAMS                                                                                          \
  { .name = "dims", .value = 1, .min = 1, .max = COLL_TORUS, .help = "dimensions of the torus, of even extents" }, \
      COLL_TORUS_PORTS_PARAM
int coll_swing_parts(const coll_args *);
void coll_swing_allreduce(coll_ctx *, const coll_args *, coll_peers_what);

#endif
