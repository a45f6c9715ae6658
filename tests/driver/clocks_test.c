/* Clocks with known offsets and drifts, brought together under mpirun: each rank's reading is a function of a virtual time that messages
 * carry from rank to rank, so the true common time is known, and what was recovered must be right within the error that was stated. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/port.h"
#include "tests/driver/virtual_clock.h"
#include "validate/driver/clocks.h"

static int rank, size;
static long failures;

static void expect(int holds, const char *what, double a, double b) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s: %.9g, %.9g\n", rank, what, a, b);
  failures++;
}

/* ---- messages take virtual time --------------------------------------------------------------------- */

static const double half_s =
    3e-6;             /* of a round trip where all messages take CLOCK_LATENCY_NS: the parent's answer takes no time */
static uint64_t seed; /* 0: all messages take as long */

/* Up to 5 us more; one of eight, and all of every third round of exchanges, are held up for up to a millisecond. */
static int64_t latency_ns(void) {
  static int sent;
  if (!seed) return CLOCK_LATENCY_NS;
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  uint64_t drawn = seed >> 33;
  bool held_up = drawn % 8 == 0 || sent++ / 20 % 3 == 2;
  return CLOCK_LATENCY_NS + (int64_t)(held_up ? drawn % 1000000 : drawn % 5000);
}

/* What is sent, and when it arrives. */
typedef struct {
  int64_t arrives_ns;
  double data[3];
} letter;

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  letter l = { .arrives_ns = clock_ns + latency_ns() };
  if (n) memcpy(l.data, data, sizeof l.data);
  return PMPI_Send(&l, sizeof l, MPI_BYTE, to, tag, comm);
}

int MPI_Recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  letter l;
  int code = PMPI_Recv(&l, sizeof l, MPI_BYTE, from, tag, comm, status);
  clock_advance_to(l.arrives_ns);
  if (n) memcpy(data, l.data, sizeof l.data);
  return code;
}

/* Of a question and its answer. */
int MPI_Sendrecv(const void *out, int n_out, MPI_Datatype type_out, int to, int tag_out, void *in, int n_in,
                 MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm, MPI_Status *status) {
  MPI_Send(out, n_out, type_out, to, tag_out, comm);
  return MPI_Recv(in, n_in, type_in, from, tag_in, comm, status);
}

/* ---- clocks ----------------------------------------------------------------------------------------- */

static double zero, planted_offset, planted_drift;

/* The true time: small numbers, as digits are for the drift. */
static double true_time(void) { return clock_seconds() - zero; }
static double planted(double at) { return at + planted_offset + planted_drift * at; }
static double reading(void) { return planted(true_time()); }

/* Rank 0's clock is the true time. identity(rank) says who shares a clock. */
static void recover(uint64_t identity, int clocks, double offset, double drift) {
  planted_offset = offset;
  planted_drift = drift;
  clock_summary found;
  clock_model m = clocks_learn(MPI_COMM_WORLD, identity, reading, &found);
  expect(found.clocks == clocks, "clocks found, planted", found.clocks, clocks);
  for (int late = 0; late < 3; late++) { /* at once, and when the drift has had time to show */
    double at = true_time() + late, error = clock_error(&m, planted(at)), wrong = clock_common(&m, planted(at)) - at;
    expect(fabs(wrong) <= error, "common time is wrong by, stated", wrong, error);
    if (!seed) expect(fabs(wrong) < 1e-8, "common time is wrong by, where both ways are as long", wrong, 0);
    expect(fabs(clock_own(&m, clock_common(&m, planted(at))) - planted(at)) < 1e-8, "there and back", at, error);
  }
  double true_drift = 1 / (1 + drift) - 1;
  expect(fabs(m.drift - true_drift) <= m.drift_error, "drift, planted", m.drift, true_drift);
  if (!seed)
    expect(fabs(m.drift - true_drift) < 1e-8, "drift, planted, where both ways are as long", m.drift, true_drift);
  if (clocks == 1) return;

  /* Half a round trip between two clocks. A child whose parent asked another clock before adds to the parent's error, which has grown since. */
  if (!seed && clocks == 2)
    expect(fabs(found.error_s / half_s - 1) < 1e-3, "error_s, half a round trip", found.error_s, half_s);
  expect(found.error_s < (seed ? 20 : 10) * half_s, "error_s of some steps, of one", found.error_s, half_s);
  expect(found.drift_error < 20 * found.error_s, "drift_error of a line over 0.4 s, error_s", found.drift_error,
         found.error_s);

  /* The check afterwards sees what is right, and a clock that has jumped since. */
  double error, left = clocks_check(MPI_COMM_WORLD, identity, reading, &m, &error), allowed = seed ? 10e-6 : 1e-8;
  if (!rank) expect(left <= allowed && error < 2 * half_s, "offset afterwards, stated", left, error);
  double jump = offset ? 1 + true_drift : 0,
         largest; /* a second of that clock; all but rank 0 and who shares its clock */
  MPI_Allreduce(&jump, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (offset) planted_offset += 1;
  left = clocks_check(MPI_COMM_WORLD, identity, reading, &m, &error);
  if (!rank) expect(fabs(left - largest) <= allowed, "a jump of 1 s is seen as", left, largest);
}

/* A clock that gains half a second per second, by hand. */
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
  zero = clock_seconds();
  for (uint64_t draw = 0; draw < (size > 2 ? 2 : 10); draw++) {
    seed = draw ? 1000 * draw + (uint64_t)rank : 0;
    recover((uint64_t)rank, size, rank ? 0.3 * rank - 0.5 : 0, rank ? (rank % 2 ? 2e-4 : -1e-4) * rank : 0);
    /* Two hosts, ranks dealt out in turn: the members of one share what their lowest rank has learnt. */
    recover(rank % 2 ? 7 : 11, size > 1 ? 2 : 1, rank % 2 ? -40 : 0, rank % 2 ? 5e-5 : 0);
  }
  clock_summary found;
  clock_model m = clocks_learn(MPI_COMM_WORLD, 5, true_time, &found);
  expect(found.clocks == 1 && !m.offset_s && !m.drift && !m.error_s, "one clock needs nothing", m.offset_s, m.error_s);

  /* The processes of one machine share their clock. */
  port_synchronise_clocks(MPI_COMM_WORLD);
  expect(port_common_time(12.5) == 12.5 && !port_clock_error(1e9), "common time here", port_common_time(12.5), 12.5);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures ? 1 : 0;
}
