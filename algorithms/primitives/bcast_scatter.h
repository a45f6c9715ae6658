/* The first half of a broadcast that ends in an allgather: a binomial tree scatters the vector over virtual ranks v =
 * (rank - root) mod p. Blocks have ⌈n/p⌉ elements, so the last ones may be short or empty; a rank with nothing in its
 * part of the tree takes no part. */
#ifndef COLLSCOPE_PRIMITIVES_BCAST_SCATTER_H
#define COLLSCOPE_PRIMITIVES_BCAST_SCATTER_H

#include "collscope.h"
#include "patterns/block.h"

/* Blocks first … first+k-1 of n elements. */
coll_span coll_ceil_blocks(size_t n, int p, int first, int k);

/* Virtual rank v gets the blocks of its part of the tree, v among them, each at its place in a->out. */
void coll_bcast_scatter(coll_ctx *, const coll_args *);

#endif
