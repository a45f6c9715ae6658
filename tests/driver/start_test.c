/* Starts together by a window: all ranks have one start, which is not over before it is due, and who comes too late says so; and segments,
 * which ranks that share no memory must not open. Time is a virtual clock's. Usage: start_test [apart|together] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "core/runtime/port.h"
#include "driver/port.h"
#include "tests/driver/virtual_clock.h"

enum { TRIES = 20 };
static const double step_s = 1e-9 * CLOCK_STEP_NS, latency_s = 1e-9 * CLOCK_LATENCY_NS;
static int rank, size, failures;

static void expect(int holds, const char *what, double a, double b) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s: %.9g, %.9g\n", rank, what, a, b);
  failures++;
}

/* Nobody of a node: as MPI says it on a cluster, where each rank of this job would have a node to itself. */
static int apart;
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out) {
  return apart ? PMPI_Comm_split(comm, rank, 0, out) : PMPI_Comm_split_type(comm, type, key, info, out);
}

/* Each of two ranks goes on when it has the other's message, in place of both together when the last has come. */
static int exchanging;
static void clock_exchange(MPI_Comm comm) {
  int64_t began[2] = { 0 };
  MPI_Allgather(&clock_ns, 1, MPI_INT64_T, began, 1, MPI_INT64_T, comm);
  clock_advance_to(began[1 - rank] + CLOCK_LATENCY_NS);
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int code = PMPI_Allreduce(in, out, n, type, op, comm);
  if (exchanging) clock_exchange(comm);
  else clock_meet(comm);
  return code;
}

/* The window of two ranks of which this one comes later, by almost as much as a message takes. */
static double window_with_late(int later) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  clock_meet(own);
  if (rank == later) port_idle(0.9 * latency_s);
  exchanging = 1;
  double window = port_window(own);
  exchanging = 0;
  MPI_Comm_free(&own);
  return window;
}

static void open_segment(void) {
  const int world[] = { 0, 1 };
  if (rank < 2) port_seg_open(MPI_COMM_WORLD, 1, world, 2, rank, 64, 1);
}

/* How many of some starts with this window came too late here. */
static int late_starts(double window_s) {
  int late_ones = 0;
  for (int i = 0; i < TRIES; i++) {
    bool late;
    long readings = clock_readings;
    double start = port_start_together(MPI_COMM_WORLD, window_s, &late), after = clock_seconds(), of_all[2];
    expect(after >= start, "goes on before the start", after, start);
    expect(late || after < start + 1.1 * step_s, "goes on long after the start", after, start);
    expect(clock_readings - readings < 1000, "spins all the time instead of sleeping: readings",
           (double)(clock_readings - readings), 0);
    double mine[2] = { port_common_time(start), -port_common_time(start) };
    MPI_Allreduce(mine, of_all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double apart_s = of_all[0] + of_all[1];
    expect(apart_s <= 1e-9 + 2 * port_clock_error(start), "starts differ by", apart_s, port_clock_error(start));
    late_ones += late;
  }
  return late_ones;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) {
    apart = !strcmp(argv[1], "apart");
    open_segment();
    MPI_Finalize();
    return 0;
  }
  double before = clock_seconds(), idle_s;
  port_idle(1.02); /* whole seconds and parts of one */
  idle_s = clock_seconds() - before;
  expect(fabs(idle_s - 1.02) < 2e-9, "does nothing for another time than", idle_s, 1.02);
  port_synchronise_clocks(MPI_COMM_WORLD);
  double window = port_window(MPI_COMM_WORLD), exact = 2e-6 + 1.5 * (latency_s + step_s);
  expect(fabs(window - exact) < 1e-9, "the window is not an exchange and a half and 2 us", window, exact);
  for (int later = 0; later < 2; later++) {
    double staggered = window_with_late(later);
    expect(fabs(staggered - exact) <= 1.5 * step_s, "the window depends on who comes first", staggered, exact);
  }
  before = clock_seconds();
  expect(port_window(MPI_COMM_WORLD) == window && clock_seconds() == before, "a window is found again", window, exact);
  int late = late_starts(0.05);
  expect(late == 0, "a long window is not kept; late", late, 0);
  late = late_starts(window);
  expect(late == 0, "the window that was found is not kept; late", late, 0);
  late = late_starts(1e-12);
  expect(late == TRIES, "a window of no time is kept; late, tries", late, TRIES);
  MPI_Finalize();
  return failures != 0;
}
