/* osu_test's time on real ranks: a call takes as much virtual time as its rank and its turn say, more if no barrier stands before it, and a
 * barrier ends for all at once. So both loops give the same number only where they time the same calls, each after a barrier. */
#include <stdbool.h>

#include "driver/measure/subject.h"
#include "tests/driver/virtual_clock.h"

enum { CALLS_OF_A_LOOP = 22, WARMUPS = 2 };
static bool met; /* since the last call */

void __real_subject_run(const subject *);
void __wrap_subject_run(const subject *s) {
  static int calls;
  int rank, turn = calls++ % CALLS_OF_A_LOOP;
  __real_subject_run(s);
  MPI_Comm_rank(s->comm, &rank);
  clock_ns += 10000 + 3000 * rank + (turn < WARMUPS ? 100000 : 1000 * turn) + (met ? 0 : 50000);
  met = false;
}

int MPI_Barrier(MPI_Comm comm) {
  int code = PMPI_Barrier(comm);
  clock_meet(comm);
  met = true;
  return code;
}

double MPI_Wtime(void) {
  clock_ns += CLOCK_STEP_NS;
  return clock_seconds();
}
