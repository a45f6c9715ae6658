/* Draws of a machine's noise: distributions that were planted come back, of one message and of several one after the other. */
#include "model/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/model/by_hand.h"

enum { DRAWS = 20000 };

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Times of rec in all draws, ascending. */
static double *drawn(const machine *m) {
  static double time[DRAWS];
  for (int d = 0; d < DRAWS; d++) {
    result.draw = (uint64_t)d + 1;
    time[d] = timed(m);
  }
  result.draw = 0;
  qsort(time, DRAWS, sizeof *time, ascending);
  return time;
}

/* The part of all draws that take no longer is within four standard deviations of the one wanted. */
static void part_below(const char *what, const double *time, double limit, double expected) {
  int n = 0;
  while (n < DRAWS && time[n] <= limit) n++;
  double part = (double)n / DRAWS, sure = 4 * sqrt(expected * (1 - expected) / DRAWS);
  check(fabs(part - expected) <= sure, "%s: %g below %g, not %g", what, part, limit, expected);
}

static void chain(int messages) {
  start(messages + 1);
  for (int r = 0; r < messages; r++) transfer(r, r + 1, 8);
}

/* Evenly distributed between 0 and w: the sum of k is Irwin's and Hall's distribution. */
static void test_even(const char *ports) {
  const double w = 1e-6, latency = 5e-6;
  char text[256];
  snprintf(text, sizeof text, "%seager 100\nclass network 0 5e-6 0\nnoise network 0 0 0\nnoise network 0 1 1e-6\n",
           ports);
  machine m = machine_of(text);
  chain(1);
  near_to("without a draw a message takes its curve's time", timed(&m), latency);
  const double *time = drawn(&m);
  part_below("one message, 5 %", time, latency + 0.05 * w, 0.05);
  part_below("one message, half", time, latency + 0.5 * w, 0.5);
  part_below("one message, 95 %", time, latency + 0.95 * w, 0.95);
  check(time[0] >= latency && time[DRAWS - 1] <= latency + w, "%g … %g", time[0], time[DRAWS - 1]);
  chain(2);
  time = drawn(&m);
  part_below("two, 5 %", time, 2 * latency + sqrt(0.1) * w, 0.05);
  part_below("two, 95 %", time, 2 * latency + (2 - sqrt(0.1)) * w, 0.95);
  chain(4);
  time = drawn(&m);
  part_below("four, x^4/24 below w", time, 4 * latency + w, 1 / 24.0);
  part_below("four, half", time, 4 * latency + 2 * w, 0.5);
  start(3); /* the later of two, which are independent */
  transfer(1, 0, 8);
  transfer(2, 0, 8);
  if (!*ports) part_below("the later of two", drawn(&m), latency + 0.5 * w, 0.25);
  machine_free(&m);
}

/* Knots between which it is linear; another distribution from 100 bytes on; none for another class. */
static void test_pieces(void) {
  machine m = machine_of(
      "class network 0 5e-6 0\nclass cache 0 1e-6 0\nnoise network 0 0 -1e-6\nnoise network 0 0.5 0\n"
      "noise network 0 1 3e-6\nnoise network 100 0 1e-6\nnoise network 100 1 1e-6\n"
      "place 0 0 0 0\nplace 1 1 1 1\nplace 2 1 1 1\n");
  start(2);
  transfer(0, 1, 99);
  const double *time = drawn(&m);
  part_below("a quarter", time, 4.5e-6, 0.25);
  part_below("three quarters", time, 6.5e-6, 0.75);
  start(2);
  transfer(0, 1, 100);
  time = drawn(&m);
  near_to("the least of another size", time[0], 6e-6);
  near_to("the most of another size", time[DRAWS - 1], 6e-6);
  start(3);
  transfer(1, 2, 8);
  near_to("a class without noise", drawn(&m)[DRAWS - 1], 1e-6);
  machine_free(&m);
}

static void test_limits(void) {
  machine m = machine_of("class network 0 1e-6 1e-9\nnoise network 0 0 -1\nnoise network 0 1 -1\n");
  start(2);
  transfer(0, 1, 1000);
  near_to("no latency is negative", drawn(&m)[0], 1e-6);
  machine_free(&m);
  m = machine_of("class network 0 1e-6 1e-9\nnoise network 0 0 0\nnoise network 0 1 1e-6\n");
  start(3);
  transfer(0, 1, 8);
  transfer(0, 2, 8);
  result.draw = 7;
  double first = timed(&m), second = timed(&m);
  check(first == second, "a draw repeats: %.17g, %.17g", first, second);
  double one = result.rank_end_s[1];
  start(3);
  transfer(0, 1, 8);
  timed(&m);
  check(result.rank_end_s[1] == one, "what else is sent changes nothing for a message: %.17g, %.17g", one,
        result.rank_end_s[1]);
  result.draw = 0;
  machine_free(&m);
}

int main(void) {
  test_even("");
  test_even("ports one_port\n");
  test_pieces();
  test_limits();
  return finish();
}
