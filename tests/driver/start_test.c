/* Starts together by a window: all ranks have one start, which is not over before it is due, and who comes too late says so; and segments,
 * which ranks that share no memory must not open. Usage: start_test [apart] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "core/runtime/port.h"

enum { TRIES = 20 };
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

static void open_segment(void) {
  const int world[] = { 0, 1 };
  if (rank < 2) port_seg_open(MPI_COMM_WORLD, 1, world, 2, rank, 64, 1);
}

/* How many of some starts with this window came too late here. */
static int late_starts(double window_s) {
  int late_ones = 0;
  for (int i = 0; i < TRIES; i++) {
    bool late;
    double start = port_start_together(MPI_COMM_WORLD, window_s, &late), after = port_now(), of_all[2];
    expect(after >= start, "goes on before the start", after, start);
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
  double before = port_now();
  port_idle(1.02); /* whole seconds and parts of one */
  expect(port_now() - before >= 1.02, "does nothing for a time that is too short", port_now() - before, 1.02);
  port_synchronise_clocks(MPI_COMM_WORLD);
  double window = port_window(MPI_COMM_WORLD), least, largest;
  MPI_Allreduce(&window, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&window, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  expect(least == largest && window > 0, "windows", least, largest);
  expect(port_window(MPI_COMM_WORLD) == window, "a window is found anew", window, 0);
  int late = late_starts(0.05);
  expect(late < TRIES, "nobody can keep a long window; late, tries", late, TRIES);
  late = late_starts(1e-12);
  expect(late == TRIES, "nobody can keep a window of no time; late, tries", late, TRIES);
  MPI_Finalize();
  return failures != 0;
}
