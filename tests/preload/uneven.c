/* uneven.c ROUNDS: calls of each vector form; rank r has 100 (r + 1) bytes for or from each other rank. A profile must count each call once. */
#include <mpi.h>
#include <stdlib.h>

enum { BYTES = 100 };

typedef struct {
  int *count, *at, all;
} blocks;

/* Blocks of `each` bytes; 0: of BYTES (i + 1). */
static blocks blocks_of(int ranks, int each) {
  blocks b = { .count = malloc(sizeof(int) * (size_t)ranks), .at = malloc(sizeof(int) * (size_t)ranks) };
  for (int i = 0; i < ranks; i++) {
    b.at[i] = b.all;
    b.all += b.count[i] = each ? each : BYTES * (i + 1);
  }
  return b;
}

int main(int argc, char **argv) {
  int rank, ranks, rounds = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int own = BYTES * (rank + 1);
  blocks sent = blocks_of(ranks, own), got = blocks_of(ranks, 0);
  char *in = calloc((size_t)sent.all, 1), *out = calloc((size_t)got.all, 1);
  MPI_Datatype *types = malloc(sizeof *types * (size_t)ranks);
  for (int i = 0; i < ranks; i++) types[i] = MPI_BYTE;
  for (int i = 0; i < rounds; i++) {
    MPI_Gatherv(in, own, MPI_BYTE, out, got.count, got.at, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Scatterv(out, got.count, got.at, MPI_BYTE, in, own, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allgatherv(in, own, MPI_BYTE, out, got.count, got.at, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Alltoallv(in, sent.count, sent.at, MPI_BYTE, out, got.count, got.at, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Alltoallw(in, sent.count, sent.at, types, out, got.count, got.at, types, MPI_COMM_WORLD);
    MPI_Reduce_scatter(out, in, got.count, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  }
  void *made[] = { sent.count, sent.at, got.count, got.at, in, out, types };
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
  MPI_Finalize();
  return 0;
}
