/* This rank's place in a tree over all ranks of the context, in memory of the context. */
#ifndef COLLSCOPE_PRIMITIVES_TREE_HERE_H
#define COLLSCOPE_PRIMITIVES_TREE_HERE_H

#include "collscope.h"
#include "patterns/tree.h"

/* shape, k, root: as coll_tree_make takes them. */
static inline coll_tree coll_tree_here(coll_ctx *c, coll_tree_shape shape, int k, int root) {
  coll_tree t = { .child = coll_keep(c, sizeof(int) * (size_t)coll_tree_fanout(shape, k, c->size)) };
  coll_tree_make(&t, shape, k, c->size, root, c->rank);
  return t;
}

#endif
