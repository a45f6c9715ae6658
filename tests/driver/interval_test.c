/* The interval of a median, beside the table of the binomial distribution. */
#include "driver/measure/interval.h"

#include <math.h>
#include <stdio.h>

/* Σ C(n, i) / 2^n for i < k. */
static double below(int n, int k) {
  double sum = 0, term = pow(0.5, n);
  for (int i = 0; i < k; i++) {
    sum += term;
    term *= (double)(n - i) / (i + 1);
  }
  return sum;
}

int main(void) {
  static const int known[][2] = { { 1, 0 }, { 5, 0 }, { 6, 1 }, { 10, 2 }, { 20, 6 }, { 50, 18 }, { 100, 40 } };
  int failures = 0;
  for (int i = 0; i < (int)(sizeof known / sizeof *known); i++)
    if (interval_rank(known[i][0]) != known[i][1]) {
      fprintf(stderr, "of %d values the %d-th, not the %d-th\n", known[i][0], known[i][1], interval_rank(known[i][0]));
      failures++;
    }
  for (int n = 6; n < 900; n++) {
    int k = interval_rank(n);
    if (below(n, k) <= 0.025 && below(n, k + 1) > 0.025) continue;
    fprintf(stderr, "of %d values the %d-th: outside %g, one further in %g\n", n, k, below(n, k), below(n, k + 1));
    failures++;
  }
  /* Normal approximation: n/2 - 0.98 sqrt(n). */
  if (fabs(interval_rank(1 << 20) - (524288 - 0.98 * 1024)) > 2) {
    fprintf(stderr, "of 2^20 values the %d-th\n", interval_rank(1 << 20));
    failures++;
  }
  double ten[] = { 9, 1, 2, 8, 3, 7, 4, 6, 5, 100 }; /* from 2 to 9 around 5.5 */
  if (fabs(interval_width(ten, 10) - 7 / 5.5) > 1e-15 || !isinf(interval_width(ten, 5))) failures++;
  return failures ? 1 : 0;
}
