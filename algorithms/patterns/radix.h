/* Folding p ranks to the largest power of k below: those who stay get the numbers 0 … power-1 and meet as in king.h; each works
 * for the extras that are given to it, k-1 at most.
 *
 *   p = 8, k = 3: power 3, 5 extras    rank               0  1  2  3  4  5  6  7
 *   dealt: extra e to e mod power      stays as           0  1  2  -  -  -  -  -      extras 3 6 → 0, 4 7 → 1, 5 → 2
 *   in order: the last of each group   stays as           -  -  0  -  -  1  -  2      groups {0 1 2} {3 4 5} {6 7}
 *
 * In order, groups are of k ranks as long as there are extras for it, one of fewer may follow, and then each rank is one.
 */
#ifndef COLLSCOPE_PATTERNS_RADIX_H
#define COLLSCOPE_PATTERNS_RADIX_H

#include "patterns/king.h"

typedef enum { COLL_RADIX_DEALT, COLL_RADIX_IN_ORDER } coll_radix_fold;

typedef struct {
  coll_king king; /* k above p is p, as there */
  int size, extra;
  coll_radix_fold fold;
} coll_radix;

static inline coll_radix coll_radix_make(int p, int k, coll_radix_fold fold) {
  coll_king king = coll_king_make(p, k);
  return (coll_radix){ king, p, p - king.power, fold };
}

/* In order: the first of the ranks that number v works for, itself the last of them. v = power is allowed. */
static inline int coll_radix_first(coll_radix r, int v) {
  int most = v * (r.king.k - 1);
  return v + (most < r.extra ? most : r.extra);
}

static inline int coll_radix_real(coll_radix r, int v) {
  return r.fold == COLL_RADIX_DEALT ? v : coll_radix_first(r, v + 1) - 1;
}

/* Who works for a rank: the number of one who stays. */
static inline int coll_radix_home(coll_radix r, int rank) {
  if (r.fold == COLL_RADIX_DEALT) return rank % r.king.power;
  int v = rank / r.king.k;
  return v * (r.king.k - 1) < r.extra && rank < coll_radix_first(r, v + 1) ? v : rank - r.extra;
}

/* -1 for those who do not stay. */
static inline int coll_radix_virtual(coll_radix r, int rank) {
  int v = coll_radix_home(r, rank);
  return coll_radix_real(r, v) == rank ? v : -1;
}

/* The extras of number v, in ascending order: how many, and the i-th. */
static inline int coll_radix_extras(coll_radix r, int v) {
  return r.fold == COLL_RADIX_DEALT ? (r.size - 1 - v) / r.king.power
                                    : coll_radix_first(r, v + 1) - coll_radix_first(r, v) - 1;
}

static inline int coll_radix_extra(coll_radix r, int v, int i) {
  return r.fold == COLL_RADIX_DEALT ? v + (i + 1) * r.king.power : coll_radix_first(r, v) + i;
}

/* The real rank of number v's j-th partner, as in coll_king_partner. */
static inline int coll_radix_partner(coll_radix r, int v, int distance, int j) {
  return coll_radix_real(r, coll_king_partner(r.king, v, distance, j));
}

#endif
