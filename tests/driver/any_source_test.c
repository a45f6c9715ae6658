/* A point whose ranks receive from any source, and the next one, which its root begins while they still wait. */
#include <mpi.h>
#include <stdio.h>

#include "driver/measure/subject.h"

/* Rank 3 gets the data from rank 2, which begins when the root is through with both points; in the second point from the root. */
enum { RANKS = 4, LATE = 2 };

int main(int argc, char **argv) {
  static const char *const key[] = { "bcast/hierarchical_unknown_root[levels=node,k=2]", "bcast/linear" };
  MPI_Init(&argc, &argv);
  launch l;
  launch_open(&l);
  plan_point p[2];
  subject s[2];
  int data[2];
  for (int i = 0; i < 2; i++) {
    char reason[SUBJECT_TEXT];
    p[i] = (plan_point){ .collective = COLL_BCAST, .count = 1, .type = PLAN_INT, .metric = PLAN_MAKESPAN };
    snprintf(p[i].key, sizeof p[i].key, "%s", key[i]);
    const char *why = subject_find(&s[i], &l, &p[i], RANKS, false, reason, sizeof reason);
    if (why) return fprintf(stderr, "%s: %s\n", key[i], why), 1;
    data[i] = l.rank ? -1 : i;
    s[i].bound.args.in = s[i].bound.args.out = &data[i];
    subject_open(&s[i], &p[i], false);
  }
  if (l.rank == LATE) MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++) subject_run(&s[i]);
  if (l.rank == 0) MPI_Send(NULL, 0, MPI_INT, LATE, 0, MPI_COMM_WORLD);
  int wrong = data[0] != 0 || data[1] != 1;
  if (wrong) fprintf(stderr, "FAILED rank %d: the points ended with %d and %d\n", l.rank, data[0], data[1]);
  for (int i = 0; i < 2; i++) subject_close(&s[i]);
  launch_close(&l);
  MPI_Finalize();
  return wrong;
}
