/* Repetitions that a rank began too late do not count: of the last rank every third start is. Time is a virtual clock's. */
#include <mpi.h>
#include <stdio.h>

#include "driver/measure/timing.h"
#include "driver/port.h"
#include "tests/driver/virtual_clock.h"

enum { REPETITIONS = 9, FIRST = 3 };
static const double late_s = 0.05;
static const double call_s = 100e-6; /* longer than any call here, far shorter than who is late */
static int starts = -1;              /* of this rank; -1: nobody is held up */

/* How a start is agreed on: see validate/driver/start.c. */
int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, size, code = PMPI_Allreduce(in, out, n, type, op, comm);
  clock_meet(comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (type == MPI_DOUBLE && op == MPI_MAX && rank == size - 1 && starts >= 0 && ++starts % FIRST == 0)
    port_idle(late_s);
  return code;
}

/* Whether as many as were wanted are there, none of them late, and exactly the late ones were left out: of 13 starts the 3rd, 6th, 9th and 12th. */
static bool right(launch *l, bool observed) {
  plan_point p = { .key = "bcast/linear", .collective = COLL_BCAST, .count = 1, .repetitions = REPETITIONS };
  char reason[SUBJECT_TEXT];
  buffers b = { 0 };
  timed m = { .point = &p, .buffers = &b };
  const char *why = subject_find(&m.subject, l, &p, l->size, observed, reason, sizeof reason);
  if (why) return fprintf(stderr, "%s\n", why), false;
  buffers_make(&b, p.collective, &m.subject.bound.args, l->rank);
  m.subject.bound.args.in = b.in;
  m.subject.bound.args.out = b.out;
  subject_open(&m.subject, &p, observed);
  timings_make(&m, observed);
  double window = port_window(m.subject.comm);
  starts = 0;
  timings_take(&m, 1);
  starts = -1;
  bool fine = m.t.times == REPETITIONS && m.t.discarded == (REPETITIONS - 1) / (FIRST - 1);
  fine &= m.t.window == 2 * window; /* longer after four late starts */
  for (int i = 0; i < m.t.times; i++) {
    fine &= m.t.time[i] > 0 && m.t.time[i] < call_s;
    fine &= !m.t.bounds || m.t.bounds[i].end - m.t.bounds[i].start < call_s;
  }
  if (!fine) fprintf(stderr, "rank %d: %d repetitions, %d left out\n", l->rank, m.t.times, m.t.discarded);
  timings_free(&m.t);
  subject_close(&m.subject);
  buffers_free(&b);
  return fine;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  launch l;
  launch_open(&l);
  bool fine = right(&l, false);
  fine &= right(&l, true);
  launch_close(&l);
  MPI_Finalize();
  return !fine;
}
