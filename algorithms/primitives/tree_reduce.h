/* A reduction up any tree, in segments: the body of the twins chain, pipeline, binary, binomial and in_order_binary. */
#ifndef COLLSCOPE_PRIMITIVES_TREE_REDUCE_H
#define COLLSCOPE_PRIMITIVES_TREE_REDUCE_H

#include "collscope.h"
#include "patterns/tree.h"

/* Reduces a->in to `out` at the tree's root (elsewhere out is not used). s: bytes wanted of a segment, 0: one
 * segment. The children's contributions go to the left of the parent's, the first child's nearest. */
void coll_tree_reduce(coll_ctx *, const coll_args *, void *out, coll_tree_shape, int k, size_t s);

#endif
