/* many COMMUNICATORS CALLS: makes and frees communicators, with calls of many shapes on each, every third with non-blocking and persistent
 * calls alone; then so many calls on one. Fails where the memory of a rank grows in the second half of either, each of three times, or where
 * communicators that nobody frees have taken MPI's numbers. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/preload/persistent.h"

/* Without shared pages: a library's segments are resident from the first message that passes through them, whenever that is. */
static long resident_kib(void) {
  long pages = 0, all, shared = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld %ld", &all, &pages, &shared) != 3) pages = -1;
  if (f) fclose(f);
  return pages < 0 ? -1 : (pages - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A broadcast of one number, and a sum: what is wrong. */
static int begun(MPI_Comm c, int rank, int ranks, int shapes) {
  int wrong = 0;
  for (int k = 1; k < shapes; k++) {
    int x[90] = { rank == k % ranks ? k : -1 }, sum = -1;
    MPI_Request both[2];
    MPI_Ibcast(x, k, MPI_INT, k % ranks, c, &both[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, c, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    wrong += x[0] != k || sum != ranks * (ranks - 1) / 2;
  }
#ifdef HAS_PERSISTENT
  MPI_Request again;
  int y = 0;
  INIT(Bcast)(&y, 1, MPI_INT, 0, c, MPI_INFO_NULL, &again);
  for (int i = 0; i < shapes; i++) {
    y = rank ? -1 : i;
    MPI_Start(&again);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    wrong += y != i;
  }
  MPI_Request_free(&again);
#endif
  return wrong;
}

#ifdef __SANITIZE_ADDRESS__ /* which keeps what was freed for a while, and finds leaks itself */
enum { SHAPES = 90, MAY_GROW_KIB = 1 << 20 };
#else
enum { SHAPES = 90, MAY_GROW_KIB = 2048 };
#endif

enum { MAY_BE_LEFT = 16 }; /* communicators of calls that go on, and numbers that are given again in another order */

/* MPI numbers a new communicator by the lowest number that is free; the first one takes that of a communicator which was just freed. */
static MPI_Fint next_number(void) {
  MPI_Comm two[2];
  for (int i = 0; i < 2; i++) MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &two[i]);
  MPI_Fint number = MPI_Comm_c2f(two[1]);
  for (int i = 0; i < 2; i++) MPI_Comm_free(&two[i]);
  return number;
}

/* How many KiB the rank has grown by since half of them. */
static long communicators(int n, int rank, int ranks, int *wrong) {
  long begin = 0;
  MPI_Fint number = 0;
  for (int i = 0; i < n; i++) {
    MPI_Comm c;
    int data[SHAPES + 1], sum;
    if (i == n / 2) {
      number = next_number();
      begin = resident_kib();
    }
    MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : -rank, &c);
    if (i % 3 == 2) {
      int mine;
      MPI_Comm_rank(c, &mine);
      *wrong += begun(c, mine, ranks, i % 8 ? 3 : SHAPES);
    }
    for (int k = 1; k < (i % 3 == 2 ? 0 : i % 8 ? 3 : SHAPES); k++) {
      data[k] = rank == (i % 2 ? 0 : ranks - 1) ? i : -1;
      MPI_Bcast(data + 1, k, MPI_INT, 0, c);
      *wrong += data[k] != i && k == 1;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, c);
      *wrong += sum != ranks * (ranks - 1) / 2;
      for (int j = 0; j <= SHAPES; j++) data[j] = rank == (i % 2 ? 0 : ranks - 1) ? i : -1;
    }
    MPI_Comm_free(&c);
  }
  long grown = n ? resident_kib() - begin : 0, taken = n ? next_number() - number : 0;
  if (taken > MAY_BE_LEFT) fprintf(stderr, "rank %d: %ld communicators were not freed\n", rank, taken);
  *wrong += taken > MAY_BE_LEFT;
  return grown;
}

/* Of elements that are two numbers with a gap between, an operator of the program's own. */
enum { GAP = 64 };
typedef struct {
  int number[GAP + 1];
} gapped;

static void add_both(void *in, void *inout, int *n, MPI_Datatype *type) {
  const gapped *left = in;
  gapped *right = inout;
  (void)type;
  for (int i = 0; i < *n; i++)
    for (int j = 0; j <= GAP; j += GAP) right[i].number[j] += left[i].number[j];
}

static int wrong_of_gapped(int count, int ranks, MPI_Datatype type, MPI_Op op) {
  gapped ones[5], sums[5] = { { { 0 } } };
  for (int i = 0; i < count; i++) ones[i].number[0] = ones[i].number[GAP] = i + 1;
  MPI_Allreduce(ones, sums, count, type, op, MPI_COMM_WORLD);
  return sums[count - 1].number[0] != count * ranks || sums[count - 1].number[GAP] != count * ranks;
}

/* Blocking ones and others in turn, of a few shapes again and again, and now and then of one of many. */
static long calls(int n, int rank, int ranks, int *wrong) {
  long begin = 0;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_vector(2, 1, GAP, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(add_both, 1, &op);
  for (int i = 0; i < n; i++) {
    int data[SHAPES] = { 0 }, sums[SHAPES], k = 1 + (i % 100 ? i % 5 : i / 100 % SHAPES), root = i % ranks;
    MPI_Request request = MPI_REQUEST_NULL;
    if (i == n / 2) begin = resident_kib();
    for (int j = 0; j < k; j++) data[j] = rank == root ? i : -1;
    switch (i % 4) {
      case 0: MPI_Bcast(data, k, MPI_INT, root, MPI_COMM_WORLD); break;
      case 1: MPI_Ibcast(data, k, MPI_INT, root, MPI_COMM_WORLD, &request); break;
      case 2: *wrong += wrong_of_gapped(1 + i % 5, ranks, type, op); continue;
      default:
        MPI_Allreduce(data, sums, k, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int j = 0; j < k; j++) data[j] = sums[j] + ranks - 1;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    *wrong += data[0] != i || data[k - 1] != i;
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  return n ? resident_kib() - begin : 0;
}

/* Whether a rank grows each time: what a library keeps for messages that come early, it takes once; a leak comes back. */
static int grows(const char *over, int n, long doing(int n, int rank, int ranks, int *wrong), int rank, int ranks,
                 int *wrong) {
  int grown = 0, any = 1;
  for (int i = 0; i < 3 && any; i++) {
    long kib = doing(n, rank, ranks, wrong);
    grown = kib > MAY_GROW_KIB;
    if (grown) fprintf(stderr, "rank %d grew by %ld KiB over %d %s\n", rank, kib, n / 2, over);
    PMPI_Allreduce(&grown, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  return any;
}

int main(int argc, char **argv) {
  int rank, ranks, wrong = 0, n = argc > 1 ? atoi(argv[1]) : 100, m = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int grown = grows("communicators", n, communicators, rank, ranks, &wrong);
  grown |= grows("calls", m, calls, rank, ranks, &wrong);
  if (wrong) fprintf(stderr, "rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong || grown;
}
