/* A block is moved to the front of a buffer, where it may overlap its new place. */
#ifndef COLLSCOPE_PRIMITIVES_MOVE_DOWN_H
#define COLLSCOPE_PRIMITIVES_MOVE_DOWN_H

#include "collscope.h"

/* n elements from element `first` of buf on: in pieces that do not overlap, in one where the block does not. */
static inline void coll_move_down(coll_ctx *c, void *buf, size_t first, size_t n) {
  for (size_t done = 0; first && done < n;) {
    size_t piece = n - done < first ? n - done : first;
    coll_copy(c, coll_at(c, buf, done), coll_at(c, buf, first + done), piece);
    done += piece;
  }
}

#endif
