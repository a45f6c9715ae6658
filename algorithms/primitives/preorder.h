/* A gather up the binary tree in preorder. */
#ifndef COLLSCOPE_PRIMITIVES_PREORDER_H
#define COLLSCOPE_PRIMITIVES_PREORDER_H

#include "collscope.h"
#include "patterns/preorder.h"

/* Elements that a rank collects when each contributes n: its own, then those of its subtree. */
size_t coll_preorder_held(const coll_ctx *, size_t n, int root);

/* hold[coll_preorder_held] starts with this rank's own n elements; at the root it ends with everybody's, the root's
 * first. Both children's are received at once. */
void coll_preorder_gather(coll_ctx *, void *hold, size_t n, int root);

#endif
