/* Recursive k-ing, the generalisation of recursive doubling: in step i the k ranks whose numbers differ in digit i (base k)
 * all meet. With p no power of k, ranks from the largest power on are extras: rank e is looked after by e mod power.
 *
 *   p = 11, k = 3: power 9     extras 9 → 0, 10 → 1
 *   step 0, distance 1         {0 1 2} {3 4 5} {6 7 8}
 *   step 1, distance 3         {0 3 6} {1 4 7} {2 5 8}
 */
#ifndef COLLSCOPE_PATTERNS_KING_H
#define COLLSCOPE_PATTERNS_KING_H

typedef struct {
  int k, power, steps;
} coll_king; /* power = k^steps <= p < k^(steps+1) */

/* A radix above p means p: one step in which all meet. */
static inline coll_king coll_king_make(int p, int k) {
  coll_king r = { k < p ? k : p, 1, 0 };
  while (r.k > 1 && (long)r.power * r.k <= p) {
    r.power *= r.k;
    r.steps++;
  }
  return r;
}

/* The j-th partner, j = 1 … k-1, at a distance of k^step; -j is the one whose j-th partner this rank is. */
static inline int coll_king_partner(coll_king r, int rank, int distance, int j) {
  int digit = rank / distance % r.k;
  return rank + ((digit + j + r.k) % r.k - digit) * distance;
}

#endif
