/* Two binary trees over the same ranks: one rank at most, a root, has children in both (two when p = 3). Each tree carries one half of a
 * vector, so that all ranks send and receive at full rate. Pure arithmetic.
 *
 * Both have one shape: vertex 0 is the root and has one child; below, a vertex with k zeros at its end has its children 2^(k-1) to
 * the left and to the right, or a smaller power of two where that is past the last vertex. Odd vertices are leaves.
 *
 * In the second tree ranks are mirrored or moved by one, whichever makes a rank's vertex odd that was even.
 *
 *   p = 8
 *      0
 *      └── 4
 *         / \
 *        2   6
 *       / \ / \
 *      1  3 5  7
 */
#ifndef COLLSCOPE_PATTERNS_DOUBLE_TREE_H
#define COLLSCOPE_PATTERNS_DOUBLE_TREE_H

typedef struct {
  int parent, children, child[2]; /* ranks; the root's parent is -1 */
} coll_double_tree;

typedef enum {
  COLL_DOUBLE_TREE_ROOTED, /* `root` is the root of both (Sanders, Speck and Traff) */
  COLL_DOUBLE_TREE_NCCL,   /* rank 0 is the root of the first, and rank p-1 (p even) or 1 (p odd) that of the second */
} coll_double_tree_form;

/* A rank's place in tree 0 or 1. NCCL's has no root to choose. */
coll_double_tree coll_double_tree_place(coll_double_tree_form, int which, int p, int root, int rank);

/* When segments go down: the first one to rank r in tree `half` in step[half * p + r], counted from 0, the next ones in every second step
 * from there on; -1 for a root. In a step a rank sends over one edge at most and receives over one at most: edges get even and odd
 * steps so that two that share a sender, or a receiver, differ. 2 p numbers; time O(p lg p). */
void coll_double_tree_steps(coll_double_tree_form, int p, int root, int *step);

#endif
