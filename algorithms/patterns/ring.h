/* Neighbours on the ring of ranks 0 … p-1. */
#ifndef COLLSCOPE_PATTERNS_RING_H
#define COLLSCOPE_PATTERNS_RING_H

static inline int coll_ring_right(int p, int rank) { return rank + 1 < p ? rank + 1 : 0; }
static inline int coll_ring_left(int p, int rank) { return rank > 0 ? rank - 1 : p - 1; }

#endif
