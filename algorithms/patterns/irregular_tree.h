/* Träff's trees for blocks of any lengths (arXiv 1702.05967): groups of 2^d ranks that follow each other are joined two by two, and of
 * the two that have collected them the one with fewer elements sends all of it to the other; but the root keeps what it has. What a
 * group has is thus always the blocks of ranks that follow each other.
 *
 *   blocks 1 5 2 2, root 0       1 → 0 (5 elements, as 0 is the root), 3 → 2, 2 → 0
 *   blocks 1 5 2 2, root 3       0 → 1, 2 → 3, 1 → 3
 */
#ifndef COLLSCOPE_PATTERNS_IRREGULAR_TREE_H
#define COLLSCOPE_PATTERNS_IRREGULAR_TREE_H

#include "patterns/rank_block.h"

/* The groups of d: ranks lo … end-1, lo a multiple of 2^d. */
static inline int coll_irregular_end(int p, int lo, int d) { return p - lo < 1 << d ? p : lo + (1 << d); }

/* Who collects a group of d that begins with rank lo. */
static inline int coll_irregular_collector(const coll_args *a, int lo, int d) {
  int end = coll_irregular_end(a->size, lo, d);
  if (a->root >= lo && a->root < end) return a->root;
  while (d-- > 0) {
    int middle = lo + (1 << d);
    if (middle >= end) continue;
    if (coll_rank_blocks(a, middle, end).count > coll_rank_blocks(a, lo, middle).count) lo = middle;
    else end = middle;
  }
  return lo;
}

/* Where the group of d - 1 that joins the rank's to one of d begins; p or more: there is none. */
static inline int coll_irregular_other(int rank, int d) { return (rank >> (d - 1) ^ 1) << (d - 1); }

#endif
