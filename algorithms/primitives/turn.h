/* Blocks in the order of virtual ranks (root, root + 1, …) put in the order of ranks. */
#ifndef COLLSCOPE_PRIMITIVES_TURN_H
#define COLLSCOPE_PRIMITIVES_TURN_H

#include "primitives/move_down.h"

/* hold: p blocks of m elements, the root's first; out must not overlap it, unless it is the same and root is 0. */
static inline void coll_turn(coll_ctx *c, void *out, const void *hold, size_t m, int root) {
  size_t before = (size_t)root * m, after = (size_t)(c->size - root) * m;
  coll_copy(c, coll_at(c, out, before), hold, after);
  coll_copy(c, out, coll_at(c, hold, after), before);
}

/* The same where they lie: all starts with this rank's own block. */
static inline void coll_turn_here(coll_ctx *c, void *all, size_t m) {
  if (!c->rank) return;
  size_t own_on = (size_t)(c->size - c->rank) * m, before = (size_t)c->rank * m;
  void *aside = coll_scratch(c, own_on);
  coll_copy(c, aside, all, own_on);
  coll_move_down(c, all, own_on, before); /* the blocks of lower ranks */
  coll_copy(c, coll_at(c, all, before), aside, own_on);
}

#endif
