/* A broadcast down any tree, in segments: the body of the twins chain, pipeline, binary, binomial and knomial. */
#ifndef COLLSCOPE_PRIMITIVES_TREE_BCAST_H
#define COLLSCOPE_PRIMITIVES_TREE_BCAST_H

#include "collscope.h"
#include "patterns/tree.h"
#include "primitives/even_segments.h"

/* s: bytes wanted of a segment, 0: one segment. */
void coll_tree_bcast(coll_ctx *, const coll_args *, coll_tree_shape, int k, size_t s);

/* One port: each segment leaves the busiest node once for each of its children; apart from that it is a pipe. */
double coll_tree_bcast_cost(const coll_args *, coll_tree_shape, int k, size_t s, double alpha, double beta);

#endif
