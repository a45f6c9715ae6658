/* A program with what profiles are read for, and that knows nothing of collscope: many small allreduces, a large broadcast, an allgather on half
 * of the ranks, an allreduce that its last rank comes late to, and a broadcast of a type with gaps. Argument: how often. Checks what it gets. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LARGE = 1 << 16, BLOCK = 1 << 10, LATE_NS = 2000000 };

static void expect(double found, double meant) {
  if (found == meant) return;
  fprintf(stderr, "phases: %g instead of %g\n", found, meant);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  int rank, ranks, half, often = argc > 1 ? atoi(argv[1]) : 10;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm halves;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
  MPI_Comm_size(halves, &half);
  double *data = calloc(LARGE, sizeof *data), *all = calloc((size_t)BLOCK * ranks, sizeof *all);
  MPI_Datatype gaps;
  MPI_Type_vector(BLOCK, 1, 2, MPI_DOUBLE, &gaps);
  MPI_Type_commit(&gaps);
  for (int i = 0; i < often; i++) {
    double one = 1, sum = 0;
    for (int k = 0; k < 10; k++) {
      MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      expect(sum, ranks);
    }
    data[LARGE - 1] = rank == 0 ? i + 1 : 0;
    MPI_Bcast(data, LARGE, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    expect(data[LARGE - 1], i + 1);
    MPI_Allgather(data, BLOCK, MPI_DOUBLE, all, BLOCK, MPI_DOUBLE, halves);
    if (rank == ranks - 1) nanosleep(&(struct timespec){ .tv_nsec = LATE_NS }, NULL);
    MPI_Allreduce(data, all, BLOCK, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Bcast(data, 1, gaps, 0, MPI_COMM_WORLD);
  }
  MPI_Type_free(&gaps);
  MPI_Comm_free(&halves);
  free(data);
  free(all);
  MPI_Finalize();
  return 0;
}
