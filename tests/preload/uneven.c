/* uneven.c ROUNDS: calls of each vector form, and of each collective of neighbours, on a ring; rank r has 100 (r + 1) bytes for or from each
 * other rank, but 100 where all must have as many. A profile must count each call once. */
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
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){ 1 }, 0, &ring);
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  int both[2] = { own, own }, theirs[2] = { BYTES * (left + 1), BYTES * (right + 1) };
  int from[2] = { 0, own }, to[2] = { 0, theirs[0] };
  const MPI_Datatype pair[2] = { MPI_BYTE, MPI_BYTE };
  char *sides = calloc((size_t)(theirs[0] + theirs[1]), 1), *mine = calloc((size_t)own, 2);
  for (int i = 0; i < rounds; i++) {
    MPI_Gatherv(in, own, MPI_BYTE, out, got.count, got.at, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Scatterv(out, got.count, got.at, MPI_BYTE, in, own, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allgatherv(in, own, MPI_BYTE, out, got.count, got.at, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Alltoallv(in, sent.count, sent.at, MPI_BYTE, out, got.count, got.at, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Alltoallw(in, sent.count, sent.at, types, out, got.count, got.at, types, MPI_COMM_WORLD);
    MPI_Reduce_scatter(out, in, got.count, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    MPI_Neighbor_allgather(mine, BYTES, MPI_BYTE, sides, BYTES, MPI_BYTE, ring);
    MPI_Neighbor_allgatherv(mine, own, MPI_BYTE, sides, theirs, to, MPI_BYTE, ring);
    MPI_Neighbor_alltoall(mine, BYTES, MPI_BYTE, sides, BYTES, MPI_BYTE, ring);
    MPI_Neighbor_alltoallv(mine, both, from, MPI_BYTE, sides, theirs, to, MPI_BYTE, ring);
    MPI_Neighbor_alltoallw(mine, both, (MPI_Aint[]){ 0, own }, pair, sides, theirs, (MPI_Aint[]){ 0, theirs[0] }, pair,
                           ring);
  }
  MPI_Comm_free(&ring);
  void *made[] = { sent.count, sent.at, got.count, got.at, in, out, types, sides, mine };
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
  MPI_Finalize();
  return 0;
}
