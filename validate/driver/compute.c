/* Computing is a loop whose speed was measured, and a thread runs where there is room. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

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

static thrd_t thread;
static void (*run_it)(void *);

/* mpirun may have bound the rank to one core, which it computes on. */
static int enter(void *self) {
  cpu_set_t anywhere;
  memset(&anywhere, 0xff, sizeof anywhere);
  sched_setaffinity(0, sizeof anywhere, &anywhere);
  run_it(self);
  return 0;
}

bool port_has_threads(void) { return true; }

void port_thread_begin(void (*run)(void *), void *self) {
  run_it = run;
  if (thrd_create(&thread, enter, self) == thrd_success) return;
  fprintf(stderr, "collscope: the system gives no thread to advance a call; take --progress calls\n");
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void port_thread_end(void) { thrd_join(thread, NULL); }
