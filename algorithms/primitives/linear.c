#include "primitives/linear.h"

/* The root copies its own block when its turn comes, as Open MPI does: those behind it wait for the copy. */
void coll_linear_scatter(coll_ctx *c, const void *all, void *own, size_t n, int root) {
  if (c->rank != root) {
    coll_recv(c, own, coll_block(n, c->size, c->rank).count, root);
    return;
  }
  for (int i = 0; i < c->size; i++) {
    coll_span b = coll_block(n, c->size, i);
    if (i == root) coll_copy(c, own, coll_at(c, all, b.first), b.count);
    else coll_send(c, coll_at(c, all, b.first), b.count, i);
  }
}

void coll_linear_gather(coll_ctx *c, const void *own, void *all, size_t n, int root) {
  if (c->rank != root) {
    coll_send(c, own, coll_block(n, c->size, c->rank).count, root);
    return;
  }
  for (int i = 0; i < c->size; i++) {
    coll_span b = coll_block(n, c->size, i);
    if (i == root) coll_copy(c, coll_at(c, all, b.first), own, b.count);
    else coll_recv(c, coll_at(c, all, b.first), b.count, i);
  }
}
