/* Trees over ranks: pure arithmetic, no communication.
 *
 * All but one are drawn for virtual ranks v = (rank - root) mod p, so that the root is 0. p = 8, children in the
 * order in which they are served:
 *
 *   CHAIN k=2      BINARY         BINOMIAL          IN_ORDER_BINOMIAL   KNOMIAL k=3      IN_ORDER_BINARY
 *       0             0               0                    0                 0           (real ranks, root p-1)
 *      / \          /   \          / | \                / | \            / / \ \               7
 *     1   5        1     2        1  2  4              1  2  4          3 6   1 2            /   \
 *     2   6       / \   / \      /|  |                    |  |\        /|  \                6     3
 *     3   7      3   5 4   6    3 5  6                    3  5 6      4 5   7              / \   / \
 *     4          |              |                              |                          5   4 2   1
 *                7              7                              7                                   \
 *                                                                                                   0
 * BINOMIAL gives a child the ranks that agree with it in the low bits; in IN_ORDER_BINOMIAL, the KNOMIALs and CHAIN a
 * subtree is a range of virtual ranks, as a gather or scatter needs. IN_ORDER_BINARY is numbered so that (second
 * child's subtree, first child's subtree, parent) is a range of real ranks in order: for operators that do not
 * commute.
 */
#ifndef COLLSCOPE_PATTERNS_TREE_H
#define COLLSCOPE_PATTERNS_TREE_H

typedef enum {
  COLL_TREE_CHAIN, /* k chains hang on the root; lengths differ by one at most, the longer ones first */
  COLL_TREE_BINARY,
  COLL_TREE_BINOMIAL,
  COLL_TREE_IN_ORDER_BINOMIAL,
  COLL_TREE_KNOMIAL,          /* k is the radix; the farthest children are served first */
  COLL_TREE_KNOMIAL_REVERSED, /* the same, but of the k-1 children of one distance the farthest first: MPICH's knomial_2 */
  COLL_TREE_KNOMIAL_PREORDER, /* numbered in preorder, the largest subtree first: MPICH's knomial_1 */
  COLL_TREE_N_ARY,            /* v's children are k v + 1 … k v + k */
  COLL_TREE_IN_ORDER_BINARY,  /* the root is rank p-1, whatever is asked for */
} coll_tree_shape;

typedef struct {
  int root, parent; /* real ranks; the root's parent is -1 */
  int children;
  int *child; /* real ranks; memory of the caller: coll_tree_fanout numbers */
} coll_tree;

/* The largest number of children any rank can have. */
int coll_tree_fanout(coll_tree_shape, int k, int p);

/* Fills in one rank's place in the tree. k matters to CHAIN and N_ARY (>= 1) and to the KNOMIALs (>= 2). */
void coll_tree_make(coll_tree *, coll_tree_shape, int k, int p, int root, int rank);

/* Virtual ranks in the subtree of v in IN_ORDER_BINOMIAL: v … v + result - 1. */
int coll_tree_span(int v, int p);

/* The same in KNOMIAL, which is IN_ORDER_BINOMIAL for k = 2. */
int coll_tree_knomial_span(int k, int v, int p);

/* Messages that a node has sent or taken one after the other until the last rank has been reached, and the most
 * children any node serves: what the closed forms of segmented algorithms are made of. */
typedef struct {
  int depth, children;
} coll_tree_steps;
coll_tree_steps coll_tree_count(coll_tree_shape, int k, int p);

#endif
