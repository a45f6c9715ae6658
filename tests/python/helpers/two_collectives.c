/* A program that knows nothing of rules: a broadcast and an allgather of as many bytes as its two words say. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int bytes = atoi(argv[1]), block = atoi(argv[2]);
  char *vector = calloc(1, (size_t)bytes), *own = calloc(1, (size_t)block), *all = calloc((size_t)ranks, (size_t)block);
  MPI_Bcast(vector, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Allgather(own, block, MPI_BYTE, all, block, MPI_BYTE, MPI_COMM_WORLD);
  free(vector);
  free(own);
  free(all);
  MPI_Finalize();
  return 0;
}
