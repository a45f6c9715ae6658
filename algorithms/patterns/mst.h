/* The minimum spanning tree of Chan et al.: a range of ranks is cut into two halves (the lower one is longer by one
 * when the length is odd); the root of the range meets one rank of the other half, which is root there; and so on in both.
 *
 * Every rank's part of the tree covers an unbroken range of ranks, and so does each of its children's: blocks stay side
 * by side, and partial results of a reduction stay in rank order.
 *
 *   p = 5, root 1, first            p = 5, root 1, end
 *   0 1 2 | 3 4    1 -- 3           0 1 2 | 3 4    1 -- 4
 *   0 1 | 2, 3 | 4 1 -- 2, 3 -- 4   0 1 | 2, 3 | 4 1 -- 2, 4 -- 3
 *   0 | 1          1 -- 0           0 | 1          1 -- 0
 */
#ifndef COLLSCOPE_PATTERNS_MST_H
#define COLLSCOPE_PATTERNS_MST_H

/* Which rank of the other half: its lowest (Bird's figure 4.1.1: of ranks 0 to 3, 1 meets 2), or the one farthest from
 * the root's half (Chan's text). */
typedef enum { COLL_MST_FIRST, COLL_MST_END } coll_mst_dest;

typedef struct {
  int lo, hi, root;
} coll_mst_range; /* ranks lo … hi-1, and the root among them */

enum { COLL_MST_CHILDREN = 32 }; /* more than lg of any rank count */

typedef struct {
  int parent; /* -1 at the root of all */
  int lo, hi; /* the ranks below this one, itself among them: lo … hi-1 */
  int children;
  coll_mst_range child[COLL_MST_CHILDREN]; /* in the order in which a broadcast meets them: the largest half first */
} coll_mst_node;

/* Cuts a range of two ranks or more into the root's half and the other one. */
static inline void coll_mst_cut(coll_mst_range r, coll_mst_dest dest, coll_mst_range *own, coll_mst_range *other) {
  int mid = r.lo + (r.hi - r.lo + 1) / 2;
  if (r.root < mid) {
    *own = (coll_mst_range){ r.lo, mid, r.root };
    *other = (coll_mst_range){ mid, r.hi, dest == COLL_MST_END ? r.hi - 1 : mid };
  } else {
    *own = (coll_mst_range){ mid, r.hi, r.root };
    *other = (coll_mst_range){ r.lo, mid, r.lo }; /* the far end is the first rank, too */
  }
}

/* Where a rank sits in the tree over ranks 0 … p-1. */
static inline coll_mst_node coll_mst_place(int p, int root, int rank, coll_mst_dest dest) {
  coll_mst_node node = { .parent = -1, .lo = 0, .hi = p };
  for (coll_mst_range r = { 0, p, root }, own, other; r.hi - r.lo > 1;) {
    coll_mst_cut(r, dest, &own, &other);
    if (rank == own.root) node.child[node.children++] = other;
    if (rank == other.root) {
      node.parent = own.root;
      node.lo = other.lo;
      node.hi = other.hi;
    }
    r = other.lo <= rank && rank < other.hi ? other : own;
  }
  return node;
}

#endif
