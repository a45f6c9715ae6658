/* Computing is a loop whose speed was measured. */
#include <stdint.h>

#include "driver/port.h"

/* Each step waits for the one before it, so that nothing but the core's frequency counts. */
static void work(uint64_t steps) {
  static volatile double result;
  double x = result;
  for (uint64_t i = 0; i < steps; i++) x = x * 0.999999 + 1e-6;
  result = x;
}

/* The fastest of some short runs: the others were interrupted. */
static double measured_rate(void) {
  enum { STEPS = 100000, RUNS = 20 };
  double best = 0;
  for (int i = 0; i < RUNS; i++) {
    double begin = port_now();
    work(STEPS);
    double rate = STEPS / (port_now() - begin);
    if (rate > best) best = rate;
  }
  return best;
}

void port_compute(double seconds) {
  static double rate;
  if (!rate) rate = measured_rate();
  work((uint64_t)(seconds * rate));
}

bool port_has_threads(void) { return true; }
