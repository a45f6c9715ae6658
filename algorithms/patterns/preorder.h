/* A full binary tree whose last level is filled from the left, numbered in preorder: every subtree is a range of
 * virtual ranks v = (rank - root) mod p, the parent's number first, so gathered blocks lie in order.
 *
 *   p = 6            0
 *                  /   \
 *                 1     4
 *                / \   /
 *               2   3 5
 */
#ifndef COLLSCOPE_PATTERNS_PREORDER_H
#define COLLSCOPE_PATTERNS_PREORDER_H

#include <stdbool.h>

typedef struct {
  int parent; /* virtual, as all here; -1 at the root */
  int span;   /* ranks in this subtree: v … v + span - 1 */
  int children;
  int child[2], child_span[2];
} coll_preorder_node;

/* Ranks in the left subtree of a tree of n. */
static inline int coll_preorder_left(int n) {
  int width = 1; /* of the last level, if it were full */
  while (2 * width <= n) width *= 2;
  int last = n - (width - 1), half = width / 2;
  return n < 2 ? 0 : half - 1 + (last < half ? last : half);
}

static inline coll_preorder_node coll_preorder_place(int p, int v) {
  coll_preorder_node node = { .parent = -1, .span = p };
  int first = 0;
  for (;;) {
    int left = coll_preorder_left(node.span), right = node.span - 1 - left;
    if (v == first) {
      if (left) node.child[node.children] = first + 1, node.child_span[node.children++] = left;
      if (right) node.child[node.children] = first + 1 + left, node.child_span[node.children++] = right;
      return node;
    }
    node.parent = first;
    bool in_left = v <= first + left;
    first += in_left ? 1 : 1 + left;
    node.span = in_left ? left : right;
  }
}

#endif
