#include "primitives/tree_bcast.h"

#include <math.h>

#include "patterns/segment.h"

void coll_tree_bcast(coll_ctx *c, const coll_args *a, coll_tree_shape shape, int k, size_t s) {
  if (c->size < 2 || !a->count) return;
  int fanout = coll_tree_fanout(shape, k, c->size);
  coll_tree t = { .child = coll_keep(c, sizeof(int) * (size_t)fanout) };
  coll_tree_make(&t, shape, k, c->size, a->root, c->rank);
  coll_req *sent = coll_keep(c, sizeof(coll_req) * (size_t)fanout), coming[2] = { 0, 0 };

  size_t segment = coll_segment(a->count, a->elem, s), segments = coll_segments(a->count, segment);
  size_t last = a->count - (segments - 1) * segment;
  if (t.parent >= 0) coming[0] = coll_irecv(c, a->out, segments > 1 ? segment : last, t.parent);
  for (size_t i = 0; i < segments; i++) {
    size_t n = i + 1 < segments ? segment : last;
    if (t.parent >= 0) { /* the next segment may come while this one is passed on */
      if (i + 1 < segments)
        coming[(i + 1) & 1] = coll_irecv(c, coll_at(c, a->out, (i + 1) * segment), i + 2 < segments ? segment : last,
                                         t.parent);
      coll_wait(c, &coming[i & 1]);
    }
    for (int j = 0; j < t.children; j++) sent[j] = coll_isend(c, coll_at(c, a->out, i * segment), n, t.child[j]);
    coll_waitall(c, t.children, sent);
  }
}

double coll_tree_bcast_cost(const coll_args *a, coll_tree_shape shape, int k, size_t s, double alpha, double beta) {
  if (a->size < 2 || !a->count) return 0;
  coll_tree_steps t = coll_tree_count(shape, k, a->size);
  size_t segment = coll_segment(a->count, a->elem, s), segments = coll_segments(a->count, segment);
  double last = (double)((a->count - (segments - 1) * segment) * a->elem), full = (double)(segment * a->elem);
  double each = alpha + full * beta, shorter = alpha + last * beta, before = (double)(segments - 1) * t.children * each;
  /* The last segment meets nobody, or all the way down it is behind the one before it. Where that one has come to the end, the last takes its
   * own time more: once in a chain, once for each child elsewhere. */
  double alone = t.depth * shorter;
  double behind = (t.depth - t.children) * each + (shape == COLL_TREE_CHAIN ? 1 : t.children) * shorter;
  return before + (segments > 1 ? fmax(alone, behind) : alone);
}
