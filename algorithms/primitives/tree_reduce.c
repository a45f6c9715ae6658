#include "primitives/tree_reduce.h"

#include "patterns/segment.h"
#include "primitives/tree_here.h"

/* One contribution: segment i of the vector, from child j. They are taken in the order (0,0) (0,1) … (1,0) …, and the
 * receive of one is posted before the wait for the one before it. */
typedef struct {
  size_t segment;
  int child;
} turn;

void coll_tree_reduce(coll_ctx *c, const coll_args *a, void *out, coll_tree_shape shape, int k, size_t s) {
  if (!a->count) return;
  coll_tree t = coll_tree_here(c, shape, k, a->root);
  size_t segment = coll_segment(a->count, a->elem, s), segments = coll_segments(a->count, segment);
  bool root = c->rank == t.root;

  if (!t.children) {
    for (size_t i = 0; !root && i < segments; i++)
      coll_send(c, coll_at(c, a->in, i * segment), i + 1 < segments ? segment : a->count - i * segment, t.parent);
    if (root) coll_copy(c, out, a->in, a->count);
    return;
  }

  void *sum = root ? out : coll_scratch(c, a->count);
  bool own_inside = sum == a->in; /* in place at the root */
  /* When the order is free the first child's part arrives in its place and this rank's own is added to it: no copy. */
  bool direct = a->commutes && !own_inside;
  if (!a->commutes && !own_inside) coll_copy(c, sum, a->in, a->count);
  bool all_direct = direct && t.children == 1;
  void *inbox[2] = { all_direct ? NULL : coll_scratch(c, segment), all_direct ? NULL : coll_scratch(c, segment) };

  coll_req coming[2] = { 0, 0 };
  turn next = { 0, 0 }, now;
  size_t turns = segments * (size_t)t.children;
  for (size_t i = 0; i <= turns; i++) {
    int box = i & 1;
    if (i < turns) {
      size_t at = next.segment * segment, n = next.segment + 1 < segments ? segment : a->count - at;
      void *to = direct && next.child == 0 ? coll_at(c, sum, at) : inbox[box];
      coming[box] = coll_irecv(c, to, n, t.child[next.child]);
    }
    if (i > 0) {
      size_t at = now.segment * segment, n = now.segment + 1 < segments ? segment : a->count - at;
      coll_wait(c, &coming[box ^ 1]);
      coll_reduce(c, direct && now.child == 0 ? coll_at(c, a->in, at) : inbox[box ^ 1], coll_at(c, sum, at), n);
      if (now.child == t.children - 1 && !root) coll_send(c, coll_at(c, sum, at), n, t.parent);
    }
    now = next;
    if (++next.child == t.children) next = (turn){ next.segment + 1, 0 };
  }
}
