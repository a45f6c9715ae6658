#include "model/nearly_sorted.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

void sort_nearly_sorted(uint64_t *number, size_t n) {
  size_t moved = 0;
  for (size_t i = 1; i < n && moved <= 8 * n; i++) {
    uint64_t one = number[i];
    size_t k = i;
    for (; k && number[k - 1] > one; k--) number[k] = number[k - 1];
    number[k] = one;
    moved += i - k;
  }
  if (moved > 8 * n) qsort(number, n, sizeof *number, by_number);
}
