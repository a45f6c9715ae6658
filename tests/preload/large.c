/* A program that knows nothing of collscope: MPI's functions with large counts, where the library has them (77: it has none). With the
 * argument `huge`, one call of more elements than an int counts. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION >= 4
enum { MAX_RANKS = 16, N = 1003, ALL = N * MAX_RANKS };
static int rank, ranks, failures;
static int in[ALL], out[ALL];

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "FAILED: %s, rank %d of %d\n", what, rank, ranks);
  failures++;
}

static int value(int from, int i) { return from * 100003 + 7 * i + 1; }

/* in: this rank's values; out: none. */
static void fresh(void) {
  for (int i = 0; i < ALL; i++) in[i] = value(rank, i), out[i] = -1;
}

/* Do n elements of out from `at` on hold those of a rank from index0 on? */
static int holds(int at, int n, int from, int index0) {
  for (int i = 0; i < n; i++)
    if (out[at + i] != value(from, index0 + i)) return 0;
  return 1;
}

/* The same of sums over the first `of` ranks. */
static int sums(int n, int of, int index0) {
  for (int i = 0; i < n; i++)
    if (out[i] != value(0, index0 + i) * of + 100003 * of * (of - 1) / 2) return 0;
  return 1;
}

static void test_moves(void) {
  int root = ranks - 1;
  fresh();
  if (rank == root) memcpy(out, in, sizeof out);
  MPI_Bcast_c(out, N, MPI_INT, root, MPI_COMM_WORLD);
  expect(holds(0, N, root, 0), "MPI_Bcast_c");
  fresh();
  MPI_Gather_c(in, N, MPI_INT, out, N, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < ranks && rank == root; i++) expect(holds(i * N, N, i, 0), "MPI_Gather_c");
  fresh();
  MPI_Scatter_c(in, N, MPI_INT, out, N, MPI_INT, root, MPI_COMM_WORLD);
  expect(holds(0, N, root, rank * N), "MPI_Scatter_c");
  fresh();
  MPI_Allgather_c(in, N, MPI_INT, out, N, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; i++) expect(holds(i * N, N, i, 0), "MPI_Allgather_c");
  fresh();
  MPI_Alltoall_c(in, N, MPI_INT, out, N, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; i++) expect(holds(i * N, N, i, rank * N), "MPI_Alltoall_c");
}

static void test_vectors(void) {
  MPI_Count counts[MAX_RANKS];
  MPI_Aint at[MAX_RANKS];
  for (int i = 0; i < ranks; i++) counts[i] = N - 2, at[i] = (ranks - 1 - i) * N;
  fresh();
  MPI_Allgatherv_c(in, N - 2, MPI_INT, out, counts, at, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; i++) expect(holds((int)at[i], N - 2, i, 0), "MPI_Allgatherv_c");
  for (int i = 0; i < ranks; i++) counts[i] = i + 1; /* passed on */
  fresh();
  MPI_Allgatherv_c(in, rank + 1, MPI_INT, out, counts, at, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; i++) expect(holds((int)at[i], i + 1, i, 0), "MPI_Allgatherv_c of several sizes");
  fresh();
  MPI_Gatherv_c(in, rank + 1, MPI_INT, out, counts, at, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < ranks && !rank; i++) expect(holds((int)at[i], i + 1, i, 0), "MPI_Gatherv_c");
  for (int i = 0; i < ranks; i++) counts[i] = 3;
  fresh();
  MPI_Reduce_scatter_c(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sums(3, ranks, 3 * rank), "MPI_Reduce_scatter_c");
}

static void test_reductions(void) {
  fresh();
  MPI_Reduce_c(in, out, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!rank) expect(sums(N, ranks, 0), "MPI_Reduce_c");
  fresh();
  MPI_Allreduce_c(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sums(N, ranks, 0), "MPI_Allreduce_c");
  fresh();
  MPI_Scan_c(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sums(N, rank + 1, 0), "MPI_Scan_c");
  fresh();
  MPI_Exscan_c(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank) expect(sums(N, rank, 0), "MPI_Exscan_c");
  fresh();
  MPI_Reduce_scatter_block_c(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sums(N, ranks, rank * N), "MPI_Reduce_scatter_block_c");
}

static void test_begun(void) {
  MPI_Count counts[MAX_RANKS];
  MPI_Aint at[MAX_RANKS];
  MPI_Request request;
  for (int i = 0; i < ranks; i++) counts[i] = N - 2, at[i] = (ranks - 1 - i) * N;
  fresh();
  MPI_Iallgatherv_c(in, N - 2, MPI_INT, out, counts, at, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < ranks; i++) expect(holds((int)at[i], N - 2, i, 0), "MPI_Iallgatherv_c");
  fresh();
  MPI_Igatherv_c(in, N - 2, MPI_INT, out, counts, at, MPI_INT, 0, MPI_COMM_WORLD, &request); /* passed on */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < ranks && !rank; i++) expect(holds((int)at[i], N - 2, i, 0), "MPI_Igatherv_c");
  MPI_Allreduce_init_c(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < 3; round++) {
    fresh();
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(sums(N, ranks, 0), "MPI_Allreduce_init_c");
  }
  MPI_Request_free(&request);
}

/* 2 GiB and 11 bytes, of which none is like its neighbours. */
static void test_huge(void) {
  MPI_Count n = ((MPI_Count)1 << 31) + 11;
  unsigned char *data = malloc((size_t)n);
  for (MPI_Count i = 0; i < n; i++) data[i] = rank ? 0 : (unsigned char)(i % 251 + 1);
  MPI_Bcast_c(data, n, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Count wrong = 0;
  for (MPI_Count i = 0; i < n; i++) wrong += data[i] != (unsigned char)(i % 251 + 1);
  expect(!wrong, "MPI_Bcast_c of 2 GiB and 11 bytes");
  free(data);
}

int main(int argc, char **argv) {
  int total;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1 && !strcmp(argv[1], "huge")) test_huge();
  else {
    test_moves();
    test_vectors();
    test_reductions();
    test_begun();
  }
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!rank) printf("%d wrong\n", total);
  MPI_Finalize();
  return total != 0;
}
#else
int main(void) { return 77; }
#endif
