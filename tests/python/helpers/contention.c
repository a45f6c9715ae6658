/* Streams between pairs of ranks, all at once: `contention BYTES MODE SRC DST [SRC DST …]`. MODE one: each SRC sends to its DST; both: and at
 * the same time DST to SRC. Prints the seconds until the last pair is done. Ranks in several pairs use non-blocking calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, n = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int bytes = atoi(argv[1]), both = !strcmp(argv[2], "both");
  char *buf = malloc((size_t)bytes + 1);
  MPI_Request req[256];
  double mine, last;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  double start;
  start = MPI_Wtime();
  for (int i = 3; i + 1 < argc; i += 2) {
    int a = atoi(argv[i]), b = atoi(argv[i + 1]);
    if (rank == a) MPI_Isend(buf, bytes, MPI_BYTE, b, 1, MPI_COMM_WORLD, &req[n++]);
    if (rank == b) MPI_Irecv(buf, bytes, MPI_BYTE, a, 1, MPI_COMM_WORLD, &req[n++]);
    if (both && rank == b) MPI_Isend(buf, bytes, MPI_BYTE, a, 2, MPI_COMM_WORLD, &req[n++]);
    if (both && rank == a) MPI_Irecv(buf, bytes, MPI_BYTE, b, 2, MPI_COMM_WORLD, &req[n++]);
  }
  MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
  mine = MPI_Wtime() - start;
  MPI_Reduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (!rank) printf("%.9e\n", last);
  free(buf);
  MPI_Finalize();
  return 0;
}
