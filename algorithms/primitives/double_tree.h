/* Both halves of a vector, in segments, each along a binary tree of its own: the bodies of double_binary_tree. In a step a rank sends
 * one segment at most and receives one at most. */
#ifndef COLLSCOPE_PRIMITIVES_DOUBLE_TREE_H
#define COLLSCOPE_PRIMITIVES_DOUBLE_TREE_H

#include "collscope.h"
#include "patterns/block.h"
#include "patterns/double_tree.h"

/* An edge over which this rank sends or receives when the vector goes down: to or from whom, which half, and in which step its first
 * segment; the others follow in every second step. */
typedef struct {
  int peer, half;
  size_t first;
} coll_double_tree_edge;

typedef struct {
  coll_double_tree_edge from[2], to[2]; /* parents, children: at most two each */
  int parents, children;
  size_t count, segment, steps; /* of all ranks until both halves are everywhere */
} coll_double_tree_call;

/* For prepare(): this rank's call, which both below take; NULL where nothing is to do, with one rank or no elements. s: bytes wanted of a
 * segment, 0: one segment for each half. */
coll_double_tree_call *coll_double_tree_prepare(coll_ctx *, const coll_args *, coll_double_tree_form, int root,
                                                size_t s);

/* From the roots to everybody, in buf. */
void coll_double_tree_bcast(coll_ctx *, const coll_double_tree_call *, void *buf);

/* The same steps backwards: each half is summed up at the root of its tree. Ranks with children add in sum[n], which may be in; elsewhere
 * it may be NULL. The operator must commute. */
void coll_double_tree_reduce(coll_ctx *, const coll_double_tree_call *, const void *in, void *sum);

#endif
