/* Prefix sums along a binary tree in order, in segments: the body of scan/binary_tree and exscan/binary_tree. Sums of parts go up while sums
 * of all ranks before a part come down, in the same exchanges. */
#ifndef COLLSCOPE_PRIMITIVES_PREFIX_TREE_H
#define COLLSCOPE_PRIMITIVES_PREFIX_TREE_H

#include "collscope.h"

/* As coll_prefix takes them; s: bytes wanted of a segment, 0: one segment. in == out is allowed when inclusive. */
void coll_prefix_tree(coll_ctx *, const coll_args *, size_t s, bool inclusive);

#endif
