/* Bine (binomial negabinary) trees and butterflies: numbers are read in base -2.
 *
 * In step k an even rank meets the rank rho(k) = (1 - (-2)^(k+1)) / 3 = 1, -1, 3, -5, 11, … further on, an odd one the rank
 * rho(k) back: two thirds of the distance 2^k of a binomial tree, on a ring. Where the last k+1 digits of a number in base -2
 * are all equal, this is the number with these digits turned.
 *
 *   base -2    -2  -1   0   1   2   3   4   5
 *              10  11   0   1 110 111 100 101
 *
 * The tree halves distances: the root 0 holds the data, and in the steps k = q-1 … 0 whoever holds it meets its partner of step k. It is
 * drawn for integers, which stand for virtual ranks v = (rank - root) mod p: lo … lo + p - 1, of which all below a node lie side by side.
 *
 *   p = 8                     p = 5: those that are left over are cut off as leaves
 *   step 2     0 → 3          0 → 3
 *   step 1     0 → -1         0 → -1
 *              3 → 4
 *   step 0     0 → 1          0 → 1
 *              3 → 2          3 → 2
 *              -1 → -2
 *              4 → 5
 */
#ifndef COLLSCOPE_PATTERNS_BINE_H
#define COLLSCOPE_PATTERNS_BINE_H

#include <stdbool.h>

enum { COLL_BINE_STEPS = 31 }; /* more than lg of any rank count */

/* Signed: how far on an even rank's partner of step k is. */
static inline long coll_bine_rho(int k) { return (1 - (k % 2 ? 1L : -1L) * (2L << k)) / 3; }

/* The partner of rank r of p in step k; p even. Whose partner it is in step k, is r's. */
static inline int coll_bine_partner(int p, int r, int k) {
  long to = (r % 2 ? r - coll_bine_rho(k) : r + coll_bine_rho(k)) % p;
  return (int)(to < 0 ? to + p : to);
}

/* Digits in base -2 as bits, and back. */
static inline unsigned coll_bine_digits(int v) { return ((unsigned)v + 0xAAAAAAAAu) ^ 0xAAAAAAAAu; }
static inline int coll_bine_number(unsigned digits) { return (int)((digits ^ 0xAAAAAAAAu) - 0xAAAAAAAAu); }

/* Where halves of a vector go when p = 2^q ranks meet their partners in the steps 0 … q-1: the block, of p, with which rank r ends.
 * Partners of step k agree in the first k bits (of q, from the top) and differ in the next one. */
int coll_bine_block(int q, int r);

/* The least of the p integers that the tree over p ranks is drawn for. */
int coll_bine_low(int p);

typedef struct {
  int lo, hi; /* the integers below this one, itself among them: lo … hi-1 */
  int parent; /* itself at the root */
  int step;   /* in which it is reached; q at the root */
  int children;
  int child[COLL_BINE_STEPS]; /* those farthest away, which are reached first, come first */
} coll_bine_node;

/* The place of integer v, low <= v < low + p, with low = coll_bine_low(p). */
coll_bine_node coll_bine_place(int p, int low, int v);

/* The integer of virtual rank v, 0 <= v < p. */
static inline int coll_bine_integer(int p, int low, int v) { return v < low + p ? v : v - p; }

#endif
