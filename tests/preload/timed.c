/* A program that knows nothing of collscope and times one broadcast, from a common start to the last rank's end, in simulated time: the
 * second of its shape, so that nothing is set up within. Arguments: bytes, root. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
  int rank, bytes = argc > 1 ? atoi(argv[1]) : 1024, root = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *data = calloc((size_t)bytes, 1);
  double last, took;
  for (int call = 1; call <= 2; call++) {
    double start = 0.5 * call;
    nanosleep(&(struct timespec){ .tv_nsec = (long)((start - MPI_Wtime()) * 1e9) }, NULL);
    MPI_Bcast(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    took = MPI_Wtime() - start;
  }
  MPI_Reduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.12g\n", last);
  free(data);
  MPI_Finalize();
  return 0;
}
