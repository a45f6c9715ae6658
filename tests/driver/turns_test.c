/* Points of a group take turns of five repetitions: so all but one of each five follow a call of their own. */
#include <mpi.h>
#include <stdio.h>

#include "driver/measure/timing.h"

enum { POINTS = 2, REPETITIONS = 7, MAX_SENT = 64 };
static int sent[MAX_SENT], calls; /* by rank 0: elements of each broadcast */

int MPI_Send(const void *buf, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  if (calls < MAX_SENT) sent[calls++] = n;
  return PMPI_Send(buf, n, type, to, tag, comm);
}

int main(int argc, char **argv) {
  /* Of points of one and of two elements: five each, then the two that are left of each. */
  static const int expected[POINTS * REPETITIONS] = { 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 2, 2 };
  MPI_Init(&argc, &argv);
  launch l;
  launch_open(&l);
  plan_point p[POINTS];
  timed m[POINTS];
  buffers b = { 0 };
  char reason[SUBJECT_TEXT];
  for (int i = 0; i < POINTS; i++) {
    p[i] = (plan_point){ .key = "bcast/mst",
                         .collective = COLL_BCAST,
                         .count = (size_t)i + 1,
                         .repetitions = REPETITIONS,
                         .metric = PLAN_OSU_AVG };
    m[i] = (timed){ .point = &p[i], .buffers = &b };
    const char *why = subject_find(&m[i].subject, &l, &p[i], l.size, false, reason, sizeof reason);
    if (why) return fprintf(stderr, "%s\n", why), 1;
  }
  buffers_make(&b, COLL_BCAST, &m[POINTS - 1].subject.bound.args, l.rank);
  for (int i = 0; i < POINTS; i++) {
    m[i].subject.bound.args.in = b.in;
    m[i].subject.bound.args.out = b.out;
    subject_open(&m[i].subject, &p[i], false);
    timings_make(&m[i], false);
  }
  calls = 0;
  timings_take(m, POINTS);
  bool fine = l.rank > 0 || calls == POINTS * REPETITIONS;
  for (int i = 0; l.rank == 0 && i < calls; i++) fine &= i < POINTS * REPETITIONS && sent[i] == expected[i];
  for (int i = 0; !fine && i < calls; i++) fprintf(stderr, "%d ", sent[i]);
  for (int i = 0; i < POINTS; i++) {
    timings_free(&m[i].t);
    subject_close(&m[i].subject);
  }
  buffers_free(&b);
  launch_close(&l);
  MPI_Finalize();
  return !fine;
}
