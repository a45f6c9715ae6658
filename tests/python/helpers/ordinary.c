/* An ordinary MPI program: rank 0 prints the sum of all ranks and whether time has passed. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, sum, left;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double start = MPI_Wtime();
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, &left, 1, MPI_INT, (rank + ranks - 1) % ranks, 7,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&left, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %s\n", sum, MPI_Wtime() > start ? "later" : "at once");
  MPI_Finalize();
  return 0;
}
