/* Logarithms of rank counts. */
#ifndef COLLSCOPE_PATTERNS_LG_H
#define COLLSCOPE_PATTERNS_LG_H

#include <stdbool.h>

/* The smallest k with 2^k >= p; p >= 1. */
static inline int coll_lg_up(int p) {
  int k = 0;
  while ((1L << k) < p) k++;
  return k;
}

static inline bool coll_is_power_of_two(int p) { return p > 0 && (p & (p - 1)) == 0; }

#endif
