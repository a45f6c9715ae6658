/* allreduce/dual_root[s]
 * Idea     two binary trees, one over each half of the ranks. Segments are added up on their way to the two roots, which exchange them; sums
 *          come down the same trees at the same time: in each message up a tree's edge another one comes down. So a rank has three exchanges
 *          for a segment
 * Rounds   4 h - 7 + 3 (n/s - 1) for p = 2^h - 2 > 2
 * Cost     no closed form; about (3 n/s + 4 lg p) (alpha + s (beta + gamma))          n = bytes
 * Needs    any p, any count; keeps the rank order
 * Scratch  a segment
 * Source   Träff 2021, A doubly-pipelined, dual-root reduction-to-all algorithm, arXiv:2109.12626
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4   rank 5        one segment; roots 2 and 5
 *  start   a        b        c        d        e        f
 *  1       a        b        bc       d        e        ef            1 → 2, 4 → 5
 *  2       a        b        abc      d        e        def           0 → 2, 3 → 5
 *  3       a        b        X        d        e        X             2 ↔ 5: X = abcdef
 *  4       a        X        X        d        X        X             2 → 1, 5 → 4
 *  5       X        X        X        X        X        X             2 → 0, 5 → 3
 */
#include "patterns/segment.h"
#include "patterns/tree.h"
#include "primitives/swap.h"

/* A tree over ranks first … first + size - 1, numbered so that a rank follows the ranks below it: its root is the last. */
typedef struct {
  int first, size, parent, children, child[2], depth;
} place;

static place place_of(int p, int rank) {
  int lower = p / 2;
  place s = { .first = rank < lower ? 0 : lower, .size = rank < lower ? lower : p - lower };
  coll_tree t = { .child = s.child };
  coll_tree_make(&t, COLL_TREE_IN_ORDER_BINARY, 0, s.size, 0, rank - s.first);
  s.children = t.children;
  s.parent = t.parent < 0 ? -1 : s.first + t.parent;
  for (int i = 0; i < s.children; i++) s.child[i] += s.first;
  for (int up = t.parent; up >= 0; up = t.parent, s.depth++) {
    int spare[2];
    t = (coll_tree){ .child = spare };
    coll_tree_make(&t, COLL_TREE_IN_ORDER_BINARY, 0, s.size, 0, up);
  }
  return s;
}

/* The two roots: the sum of the lower ranks is the left operand. */
static void join(coll_ctx *c, const coll_args *a, int other, void *sum, void *inbox, size_t n) {
  coll_swap(c, other, sum, n, inbox, n);
  if (a->commutes || other < c->rank) {
    coll_reduce(c, inbox, sum, n);
    return;
  }
  coll_reduce(c, sum, inbox, n);
  coll_copy(c, sum, inbox, n);
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count, length = coll_segment(n, a->elem, (size_t)a->param[0]);
  coll_copy(c, a->out, a->in, n);
  if (c->size < 2 || !n) return;
  place t = place_of(c->size, c->rank);
  long segments = (long)coll_segments(n, length), end = segments + t.depth + (t.children > 0);
  void *inbox = t.children || t.parent < 0 ? coll_scratch(c, length) : NULL;
  for (long i = 0; i < end; i++) {
    /* In round i segment i goes up; sums come down so many rounds later as a rank is deep. */
    coll_span up = coll_segment_at(n, length, i), down = coll_segment_at(n, length, i - t.depth),
              below = coll_segment_at(n, length, i - t.depth - 1);
    void *own = coll_at(c, a->out, up.first);
    for (int k = 0; k < t.children; k++) {
      coll_swap(c, t.child[k], coll_at(c, a->out, below.first), below.count, inbox, up.count);
      if (up.count) coll_reduce(c, inbox, own, up.count);
    }
    if (t.parent >= 0) coll_swap(c, t.parent, own, up.count, coll_at(c, a->out, down.first), down.count);
    else if (up.count) join(c, a, t.first ? t.first - 1 : c->size - 1, own, inbox, up.count);
  }
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg allreduce_dual_root = {
  .key = "allreduce/dual_root",
  .collective = COLL_ALLREDUCE,
  .summary = "segments up and down two binary trees at the same time, whose roots exchange them",
  .source = "Träff 2021, arXiv:2109.12626",
  .params = params,
  .run = run,
};
