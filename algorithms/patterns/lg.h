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

/* The smallest d with k^d >= p; k >= 2. */
static inline int coll_log_up(int k, int p) {
  int d = 0;
  for (long reach = 1; reach < p; reach *= k) d++;
  return d;
}

static inline bool coll_is_power_of(int k, int p) {
  long reach = 1;
  while (reach < p) reach *= k;
  return reach == p;
}

static inline bool coll_is_power_of_two(int p) { return p > 0 && (p & (p - 1)) == 0; }

#endif
