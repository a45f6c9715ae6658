#include "primitives/bcast_scatter.h"

#include "primitives/tree_here.h"

coll_span coll_ceil_blocks(size_t n, int p, int first, int k) {
  size_t each = (n + (size_t)p - 1) / (size_t)p, from = (size_t)first * each, to = from + (size_t)k * each;
  if (from > n) from = n;
  return (coll_span){ from, (to < n ? to : n) - from };
}

void coll_bcast_scatter(coll_ctx *c, const coll_args *a) {
  int p = c->size, v = (c->rank - a->root + p) % p;
  coll_tree t = coll_tree_here(c, COLL_TREE_IN_ORDER_BINOMIAL, 0, a->root);
  coll_span part = coll_ceil_blocks(a->count, p, v, coll_tree_span(v, p));
  if (v && part.count) coll_recv(c, coll_at(c, a->out, part.first), part.count, t.parent);
  for (int i = t.children - 1; i >= 0; i--) {
    int child = (t.child[i] - a->root + p) % p;
    part = coll_ceil_blocks(a->count, p, child, coll_tree_span(child, p));
    if (part.count) coll_send(c, coll_at(c, a->out, part.first), part.count, t.child[i]);
  }
}
