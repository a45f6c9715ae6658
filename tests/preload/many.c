/* many COMMUNICATORS: makes and frees communicators, with calls of many shapes on each, and fails where the memory of a rank grows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long resident_kib(void) {
  long pages = 0, all;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &all, &pages) != 2) pages = -1;
  if (f) fclose(f);
  return pages < 0 ? -1 : pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv) {
#ifdef __SANITIZE_ADDRESS__ /* which keeps what was freed for a while, and finds leaks itself */
  enum { SHAPES = 90, MAY_GROW_KIB = 1 << 20 };
#else
  enum { SHAPES = 90, MAY_GROW_KIB = 2048 };
#endif
  int rank, ranks, wrong = 0, n = argc > 1 ? atoi(argv[1]) : 100;
  long begin = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < n; i++) {
    MPI_Comm c;
    int data[SHAPES + 1], sum;
    MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : -rank, &c);
    for (int k = 1; k < (i % 8 ? 3 : SHAPES); k++) {
      data[k] = rank == (i % 2 ? 0 : ranks - 1) ? i : -1;
      MPI_Bcast(data + 1, k, MPI_INT, 0, c);
      wrong += data[k] != i && k == 1;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, c);
      wrong += sum != ranks * (ranks - 1) / 2;
      for (int j = 0; j <= SHAPES; j++) data[j] = rank == (i % 2 ? 0 : ranks - 1) ? i : -1;
    }
    MPI_Comm_free(&c);
    if (i == n / 2) begin = resident_kib();
  }
  long grown = resident_kib() - begin;
  if (grown > MAY_GROW_KIB) fprintf(stderr, "rank %d grew by %ld KiB over %d communicators\n", rank, grown, n / 2);
  if (wrong) fprintf(stderr, "rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong || grown > MAY_GROW_KIB;
}
