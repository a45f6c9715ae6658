/* Blocks in the order of virtual ranks (root, root + 1, …) put in the order of ranks. */
#ifndef COLLSCOPE_PRIMITIVES_TURN_H
#define COLLSCOPE_PRIMITIVES_TURN_H

#include "collscope.h"

/* hold: p blocks of m elements, the root's first; out must not overlap it, unless it is the same and root is 0. */
static inline void coll_turn(coll_ctx *c, void *out, const void *hold, size_t m, int root) {
  size_t before = (size_t)root * m, after = (size_t)(c->size - root) * m;
  coll_copy(c, coll_at(c, out, before), hold, after);
  coll_copy(c, out, coll_at(c, hold, after), before);
}

#endif
