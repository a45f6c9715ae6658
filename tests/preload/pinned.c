/* pinned FIRST: with COLLSCOPE_PROGRESS=thread[cpu=FIRST] the thread of the i-th rank of a node is put on core FIRST + i. Which cores there
 * are does not matter: the system's call is replaced. Knows nothing of collscope. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int core = -1;

int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *cores) {
  for (int i = 0; pid == 0 && i < (int)bytes * 8; i++)
    if (CPU_COUNT_S(bytes, cores) == 1 && CPU_ISSET_S((size_t)i, bytes, cores)) core = i;
  return 0;
}

int main(int argc, char **argv) {
  int rank, x = 1, sum;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize(); /* waits for the thread */
  int expected = atoi(argv[1]) + rank;
  if (core != expected) fprintf(stderr, "FAILED: the thread of rank %d is on core %d, not %d\n", rank, core, expected);
  return core != expected;
}
