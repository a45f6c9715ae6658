#include "driver/measure/interval.h"

#include <math.h>
#include <stdlib.h>

int interval_rank(int n) {
  const double outside = 0.025; /* at each end */
  /* P(B = i), as a logarithm: 2^-n is below any double where n is large. */
  double log_term = -n * log(2), below = 0;
  int k = 0;
  for (; k < n; k++) {
    below += exp(log_term);
    if (below > outside) break;
    log_term += log((double)(n - k) / (k + 1));
  }
  return k;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double interval_width(double *value, int n) {
  int k = interval_rank(n);
  if (!k) return INFINITY;
  qsort(value, (size_t)n, sizeof *value, compare);
  double median = (value[(n - 1) / 2] + value[n / 2]) / 2;
  return median > 0 ? (value[n - k] - value[k - 1]) / median : INFINITY;
}
