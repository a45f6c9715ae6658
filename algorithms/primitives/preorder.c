#include "primitives/preorder.h"

static int virtual_of(const coll_ctx *c, int root) { return (c->rank - root + c->size) % c->size; }

size_t coll_preorder_held(const coll_ctx *c, size_t n, int root) {
  return (size_t)coll_preorder_place(c->size, virtual_of(c, root)).span * n;
}

void coll_preorder_gather(coll_ctx *c, void *hold, size_t n, int root) {
  int v = virtual_of(c, root);
  coll_preorder_node me = coll_preorder_place(c->size, v);
  coll_req coming[2];
  for (int i = 0; i < me.children; i++)
    coming[i] = coll_irecv(c, coll_at(c, hold, (size_t)(me.child[i] - v) * n), (size_t)me.child_span[i] * n,
                           (me.child[i] + root) % c->size);
  coll_waitall(c, me.children, coming);
  if (me.parent >= 0) coll_send(c, hold, (size_t)me.span * n, (me.parent + root) % c->size);
}
