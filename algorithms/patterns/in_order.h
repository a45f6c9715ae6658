/* A binary tree over ranks 0 … p-1 in order: a rank follows all ranks of its left part and stands before those of its right one; the root of
 * a range is in its middle. Of 2^h - 1 ranks the tree is full.
 *
 *   p = 6          3
 *                /   \
 *               1     5
 *              / \   /
 *             0   2 4
 */
#ifndef COLLSCOPE_PATTERNS_IN_ORDER_H
#define COLLSCOPE_PATTERNS_IN_ORDER_H

typedef struct {
  int parent, left, right; /* -1: none */
  int lo, hi;              /* the ranks below this one, itself among them: lo … hi-1 */
  int depth;               /* 0 at the root */
} coll_in_order;

static inline int coll_in_order_middle(int lo, int hi) { return lo < hi ? lo + (hi - lo) / 2 : -1; }

static inline coll_in_order coll_in_order_place(int p, int rank) {
  coll_in_order t = { .parent = -1, .hi = p };
  for (int middle; (middle = coll_in_order_middle(t.lo, t.hi)) != rank; t.depth++) {
    t.parent = middle;
    if (rank < middle) t.hi = middle;
    else t.lo = middle + 1;
  }
  t.left = coll_in_order_middle(t.lo, rank);
  t.right = coll_in_order_middle(rank + 1, t.hi);
  return t;
}

#endif
