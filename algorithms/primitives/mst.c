#include "primitives/mst.h"

void coll_mst_bcast(coll_ctx *c, void *buf, size_t n, int root, coll_mst_dest dest) {
  coll_mst_node me = coll_mst_place(c->size, root, c->rank, dest);
  if (me.parent >= 0) coll_recv(c, buf, n, me.parent);
  for (int i = 0; i < me.children; i++) coll_send(c, buf, n, me.child[i].root);
}

/* The sum so far is either `in` (not to be written, unless in == out) or in buffer `a`; what a child sends arrives in
 * buffer `b`. Where the sum must be the left operand it ends up in b, and the two change names: no copies. The number
 * of changes is known in advance, so they are named such that the last sum lies in `out`. */
void coll_mst_reduce(coll_ctx *c, const void *in, void *out, size_t n, int root, coll_mst_dest dest, bool commutes) {
  coll_mst_node me = coll_mst_place(c->size, root, c->rank, dest);
  bool writable = in == out;
  int changes = 0;
  if (commutes) changes = !writable && me.children > 0;
  else
    for (int i = 0; i < me.children; i++) changes += me.child[i].root > c->rank;

  void *a = NULL, *b = NULL;
  if (me.children) {
    void *result = out ? out : coll_scratch(c, n);
    bool one = me.children == 1 && changes == 1 && !writable; /* in op what arrives: a is never used */
    void *spare = one ? NULL : coll_scratch(c, n);
    bool stays = writable || changes % 2 == 0;
    a = stays ? result : spare;
    b = stays ? spare : result;
  }
  const void *sum = in;
  for (int i = me.children; i-- > 0;) {
    bool below = me.child[i].root < c->rank;
    if (below && !commutes && !writable) {
      coll_copy(c, a, in, n);
      sum = a;
      writable = true;
    }
    coll_recv(c, b, n, me.child[i].root);
    if (writable && (below || commutes)) coll_reduce(c, b, a, n);
    else {
      coll_reduce(c, sum, b, n);
      void *t = a;
      a = b;
      b = t;
      sum = a;
      writable = true;
    }
  }
  if (me.parent >= 0) coll_send(c, sum, n, me.parent);
  else coll_copy(c, out, sum, n); /* nothing, but for p = 1 and for an odd number of changes in place */
}

/* Where child i's blocks lie in hold. */
static coll_span child_blocks(const coll_ctx *c, const coll_mst_node *me, int i, size_t n) {
  coll_span s = coll_blocks(n, c->size, me->child[i].lo, me->child[i].hi);
  s.first -= coll_block(n, c->size, me->lo).first;
  return s;
}

void coll_mst_scatter(coll_ctx *c, void *hold, size_t n, int root, coll_mst_dest dest) {
  coll_mst_node me = coll_mst_place(c->size, root, c->rank, dest);
  if (me.parent >= 0) coll_recv(c, hold, coll_blocks(n, c->size, me.lo, me.hi).count, me.parent);
  for (int i = 0; i < me.children; i++) {
    coll_span s = child_blocks(c, &me, i, n);
    coll_send(c, coll_at(c, hold, s.first), s.count, me.child[i].root);
  }
}

void coll_mst_gather(coll_ctx *c, void *hold, size_t n, int root, coll_mst_dest dest) {
  coll_mst_node me = coll_mst_place(c->size, root, c->rank, dest);
  for (int i = me.children; i-- > 0;) {
    coll_span s = child_blocks(c, &me, i, n);
    coll_recv(c, coll_at(c, hold, s.first), s.count, me.child[i].root);
  }
  if (me.parent >= 0) coll_send(c, hold, coll_blocks(n, c->size, me.lo, me.hi).count, me.parent);
}

void coll_mst_reduce_scatter(coll_ctx *c, const void *in, void *out, size_t n, bool commutes) {
  bool in_place = in == out;
  size_t own = coll_block(n, c->size, c->rank).count, held = coll_mst_held(c, n, 0, COLL_MST_FIRST).count;
  /* Room for what the scatter brings, which is the whole sum at rank 0. In place `out` is a whole vector and will do: what
   * a rank holds starts with its own block, so that lies where it belongs. */
  void *hold = in_place || held == own ? out : coll_scratch(c, held);
  coll_mst_reduce(c, in, c->rank == 0 || in_place ? hold : NULL, n, 0, COLL_MST_FIRST, commutes);
  coll_mst_scatter(c, hold, n, 0, COLL_MST_FIRST);
  coll_copy(c, out, hold, own);
}
