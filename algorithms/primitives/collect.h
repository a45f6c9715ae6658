/* The root of a gather along the ring: every block comes through its right neighbour, the nearest rank's first. */
#ifndef COLLSCOPE_PRIMITIVES_COLLECT_H
#define COLLSCOPE_PRIMITIVES_COLLECT_H

#include "collscope.h"
#include "patterns/ring.h"

/* Whether this rank was the root, whose part is done then. */
static inline bool coll_collect(coll_ctx *c, const coll_args *a) {
  if (c->rank != a->root) return false;
  int p = c->size, right = coll_ring_right(p, c->rank);
  size_t m = a->count;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
  for (int from = right; from != c->rank; from = coll_ring_right(p, from))
    coll_recv(c, coll_at(c, a->out, (size_t)from * m), m, right);
  return true;
}

#endif
