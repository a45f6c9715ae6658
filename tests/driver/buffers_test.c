/* What "cold" and "fresh" buffers are: in no cache, and on pages that the system has yet to map. Least of many times, so that what else
 * runs on the machine does not matter. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/runtime/port.h"

enum { BYTES = 128 << 10, LINE = 64, TRIES = 40 };
static int failures;

static void expect(int holds, const char *what, double a, double b) {
  if (holds) return;
  fprintf(stderr, "%s: %g, %g\n", what, a, b);
  failures++;
}

static double time_to_read(char *buffer) {
  double began = port_now();
  for (size_t i = 0; i < BYTES; i += LINE) (void)*(volatile char *)(buffer + i);
  return port_now() - began;
}

static double least(char *buffer, bool cold) {
  double best = 1;
  for (int i = 0; i < TRIES; i++) {
    if (cold) port_empty_caches();
    else time_to_read(buffer);
    double t = time_to_read(buffer);
    best = t < best ? t : best;
  }
  return best;
}

static long faults(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

static long faults_to_write(char *buffer) {
  long before = faults();
  for (size_t i = 0; i < BYTES; i += LINE) ((volatile char *)buffer)[i] = 2;
  return faults() - before;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  char *buffer = port_alloc(BYTES), *small = port_alloc(100);
  memset(buffer, 1, BYTES);
  memset(small, 1, 100);
  double warm = least(buffer, false), cold = least(buffer, true);
  expect(cold > 1.5 * warm, "reading a cold and a warm buffer takes", cold, warm);

  long page = sysconf(_SC_PAGESIZE), pages = BYTES / page;
  expect(faults_to_write(buffer) < pages / 4, "page faults of a warm buffer, pages", faults_to_write(buffer), pages);
  port_renew(buffer, BYTES);
  long seen = faults_to_write(buffer);
  expect(seen >= pages, "page faults of a fresh buffer, pages", seen, pages);
  port_renew(small, 100);
  expect(small[0] == 1 && small[99] == 1, "a small buffer keeps its page: first and last byte", small[0], small[99]);
  port_release(small);
  port_release(buffer);
  MPI_Finalize();
  return failures ? 1 : 0;
}
