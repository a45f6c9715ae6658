/* Half a round trip between each two ranks, in seconds: a line "a b seconds" a pair. Both directions are asked for, as the path back may be
 * another. The argument: bytes of a message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void pong(char *data, int bytes, int first, int other) {
  for (int direction = 0; direction < 2; direction++) {
    if (direction == first) MPI_Send(data, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    else MPI_Recv(data, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, bytes = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char *data = calloc(1, (size_t)bytes + 1);
  for (int a = 0; a < ranks; a++)
    for (int b = 0; b < ranks; b++) {
      if (a == b || (rank != a && rank != b)) continue;
      pong(data, bytes, rank == b, rank == a ? b : a); /* the other one is there */
      double start = MPI_Wtime();
      pong(data, bytes, rank == b, rank == a ? b : a);
      if (rank == a) printf("%d %d %.12g\n", a, b, (MPI_Wtime() - start) / 2);
      if (rank == a) MPI_Send(data, 0, MPI_BYTE, b, 0, MPI_COMM_WORLD); /* nobody begins before the last has arrived */
      else MPI_Recv(data, 0, MPI_BYTE, a, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  free(data);
  MPI_Finalize();
  return 0;
}
