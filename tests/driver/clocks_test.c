/* Clocks with known offsets and drifts, brought together under mpirun: each rank's reading is a function of the machine's one clock, so
 * the true common time is known, and what was recovered must be right within the error that was stated. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/runtime/port.h"
#include "validate/clocks.h"

static double zero, planted_offset, planted_drift;

static double real(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - zero;
}
static double planted(double at) { return at + planted_offset + planted_drift * at; }
static double reading(void) { return planted(real()); }

static int rank, size;
static long failures;

static void expect(int holds, const char *what, double a, double b) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s: %.3g, %.3g\n", rank, what, a, b);
  failures++;
}

/* Rank 0's clock is the true time of `real`. identity(rank) says who shares a clock. */
static void recover(uint64_t identity, int clocks, double offset, double drift) {
  planted_offset = offset;
  planted_drift = drift;
  clock_summary found;
  clock_model m = clocks_learn(MPI_COMM_WORLD, identity, reading, &found);
  expect(found.clocks == clocks, "clocks found, planted", found.clocks, clocks);
  for (int late = 0; late < 3; late++) { /* at once, and when the drift has had time to show */
    double at = real() + late, error = clock_error(&m, planted(at));
    expect(fabs(clock_common(&m, planted(at)) - at) <= error, "common time is wrong by, stated",
           clock_common(&m, planted(at)) - at, error);
    expect(fabs(clock_own(&m, clock_common(&m, planted(at))) - planted(at)) < 1e-8, "there and back", at, error);
  }
  double true_drift = 1 / (1 + drift) - 1;
  expect(fabs(m.drift - true_drift) <= m.drift_error, "drift, planted", m.drift, true_drift);
  if (fabs(drift) >= 1e-4)
    expect(fabs(m.drift - true_drift) < fabs(true_drift) / 2, "a large drift is seen as, planted", m.drift, true_drift);
  expect(found.drift_error < 1e-2 && found.error_s < 0.05, "errors tell something", found.error_s, found.drift_error);

  /* The check afterwards sees what is right, and a clock that has jumped since. */
  double error, left = clocks_check(MPI_COMM_WORLD, identity, reading, &m, &error);
  if (!rank) expect(left <= error + found.error_s + 10 * found.drift_error, "offset afterwards, stated", left, error);
  if (offset) planted_offset += 1; /* all but rank 0, and who shares its clock */
  left = clocks_check(MPI_COMM_WORLD, identity, reading, &m, &error);
  if (!rank && clocks > 1) expect(fabs(left - 1) < 0.1, "a jump of 1 s is seen as", left, 1);
}

/* A clock that gains half a second a second, by hand. */
static void by_hand(void) {
  clock_model m = { .at = 100, .until = 200, .offset_s = 3, .drift = 0.5, .error_s = 0.25, .drift_error = 0.125 };
  expect(clock_common(&m, 104) == 109 && clock_own(&m, 109) == 104, "104 there, 109 here", clock_common(&m, 104),
         clock_own(&m, 109));
  expect(clock_error(&m, 150) == 0.25 && clock_error(&m, 200) == 0.25 && clock_error(&m, 202) == 0.5,
         "the error while clocks were seen, and two seconds later", clock_error(&m, 200), clock_error(&m, 202));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  by_hand();
  zero = real(); /* small numbers: digits are for the drift */
  MPI_Bcast(&zero, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);

  recover((uint64_t)rank, size, rank ? 0.3 * rank - 0.5 : 0, rank ? (rank % 2 ? 2e-4 : -1e-4) * rank : 0);
  /* Two hosts, ranks dealt out in turn: the members of one share what their lowest rank has learnt. */
  recover(rank % 2 ? 7 : 11, size > 1 ? 2 : 1, rank % 2 ? -40 : 0, rank % 2 ? 5e-5 : 0);
  clock_summary found;
  clock_model m = clocks_learn(MPI_COMM_WORLD, 5, real, &found);
  expect(found.clocks == 1 && !m.offset_s && !m.drift && !m.error_s, "one clock needs nothing", m.offset_s, m.error_s);

  /* The processes of one machine share their clock. */
  port_synchronise_clocks(MPI_COMM_WORLD);
  expect(port_common_time(12.5) == 12.5 && !port_clock_error(1e9), "common time here", port_common_time(12.5), 12.5);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures ? 1 : 0;
}
