/* Simple primitives: the root meets every other rank in turn, lowest first, one blocking message each. Any p, any root,
 * any n > 0; blocks are those of coll_block(n, p, i), and empty ones travel as empty messages.
 *
 * Costs: seconds, for the one-port network; copies are free. Algorithms send nothing for n = 0: cost 0.
 */
#ifndef COLLSCOPE_PRIMITIVES_LINEAR_H
#define COLLSCOPE_PRIMITIVES_LINEAR_H

#include "collscope.h"
#include "patterns/block.h"

/* Block i of the root's all[n] to own at rank i. At the root own may be the block's place in all. */
void coll_linear_scatter(coll_ctx *c, const void *all, void *own, size_t n, int root);

/* own of rank i to block i of the root's all[n]. At the root own may be the block's place in all. */
void coll_linear_gather(coll_ctx *c, const void *own, void *all, size_t n, int root);

/* Of scatter and of gather of n elements: all but the root's own block pass its port. Exact for any p, n and root. */
static inline double coll_linear_cost(int p, size_t n, size_t elem, int root, double alpha, double beta) {
  return n ? (p - 1) * alpha + (double)((n - coll_block(n, p, root).count) * elem) * beta : 0;
}

#endif
