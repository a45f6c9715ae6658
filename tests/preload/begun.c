/* begun [SECONDS-FREE WORD]: non-blocking and persistent collectives that are under way together, on communicators, types and operators that
 * the program frees meanwhile, and advanced by whatever function of MPI waits. Knows nothing of collscope. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/preload/persistent.h"

static int rank, ranks, failures;

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "FAILED: %s, rank %d of %d\n", what, rank, ranks);
  failures++;
}

/* ---- several at once ---------------------------------------------------------------------------------- */

enum { CALLS = 40, LONG = 3000 };

/* Ranks wait in different orders; sizes and roots differ. */
static void many_on_one(MPI_Comm comm) {
  MPI_Request request[2 * CALLS];
  int *data[CALLS], sum[CALLS], mine[CALLS];
  for (int i = 0; i < CALLS; i++) {
    int n = i % 4 ? i : LONG;
    data[i] = malloc(sizeof(int) * (size_t)(n + 1));
    for (int k = 0; k <= n; k++) data[i][k] = rank == i % ranks ? i * 1000 + k : -1;
    mine[i] = rank + i;
    MPI_Ibcast(data[i], n, MPI_INT, i % ranks, comm, &request[2 * i]);
    MPI_Iallreduce(&mine[i], &sum[i], 1, MPI_INT, MPI_SUM, comm, &request[2 * i + 1]);
  }
  for (int i = 0; i < 2 * CALLS; i++) {
    int which = rank % 2 ? 2 * CALLS - 1 - i : i;
    MPI_Wait(&request[which], MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < CALLS; i++) {
    int n = i % 4 ? i : LONG;
    for (int k = 0; k < n; k++) expect(data[i][k] == i * 1000 + k, "broadcasts that overlap");
    expect(sum[i] == ranks * (ranks - 1) / 2 + ranks * i, "allreduces among them");
    free(data[i]);
  }
}

/* The first call on a communicator must not wait for others: each rank begins with another one. */
static void first_calls_in_any_order(void) {
  enum { COMMS = 3 };
  MPI_Comm comm[COMMS];
  MPI_Request request[COMMS];
  int x[COMMS];
  for (int i = 0; i < COMMS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
  for (int i = 0; i < COMMS; i++) {
    int which = (i + rank) % COMMS;
    x[which] = rank == which % ranks ? which + 7 : -1;
    MPI_Ibcast(&x[which], 1, MPI_INT, which % ranks, comm[which], &request[which]);
  }
  MPI_Waitall(COMMS, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < COMMS; i++) {
    expect(x[i] == i + 7, "first calls in another order at each rank");
    MPI_Comm_free(&comm[i]);
  }
}

/* Against MPI's word, programs (mpi4py among them) free the array of displacements when the call has begun. */
static void displacements_change_meanwhile(void) {
  enum { N = 5, GAP = 7 };
  int *count = malloc(sizeof(int) * (size_t)ranks), *at = malloc(sizeof(int) * (size_t)ranks);
  int in[N], *out = malloc(sizeof(int) * (size_t)(ranks * GAP));
  MPI_Request request;
  for (int i = 0; i < ranks; i++) count[i] = N, at[i] = i * GAP;
  for (int i = 0; i < ranks * GAP; i++) out[i] = -1;
  for (int k = 0; k < N; k++) in[k] = 100 * rank + k;
  MPI_Iallgatherv(in, N, MPI_INT, out, count, at, MPI_INT, MPI_COMM_WORLD, &request);
  for (int i = 0; i < ranks; i++) at[i] = 1 << 28;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < ranks * GAP; i++)
    expect(out[i] == (i % GAP < N ? 100 * (i / GAP) + i % GAP : -1), "displacements that change meanwhile");
  free(count);
  free(at);
  free(out);
}

/* ---- freed meanwhile ---------------------------------------------------------------------------------- */

static void add_both(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; i++) {
    ((int *)inout)[3 * i] += ((int *)in)[3 * i];
    ((int *)inout)[3 * i + 2] += ((int *)in)[3 * i + 2];
  }
}

/* MPI's numbers: a new one has the lowest that is free. */
typedef struct {
  MPI_Fint type, op;
} numbers;

static numbers freed_before_the_end(void) {
  enum { N = 50 };
  MPI_Comm comm;
  MPI_Datatype pair;
  MPI_Op op;
  MPI_Request request[2];
  int in[3 * N], out[3 * N], x = rank == 0 ? 99 : 0;
  for (int i = 0; i < 3 * N; i++) in[i] = rank + i, out[i] = -5;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(add_both, 1, &op);
  numbers taken = { MPI_Type_c2f(pair), MPI_Op_c2f(op) };
  MPI_Iallreduce(in, out, N, pair, op, comm, &request[0]);
  MPI_Ibcast(&x, 1, MPI_INT, 0, comm, &request[1]);
  MPI_Type_free(&pair);
  MPI_Op_free(&op);
  MPI_Comm_free(&comm);
  expect(pair == MPI_DATATYPE_NULL && op == MPI_OP_NULL, "what is freed is null");
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < N; i++) {
    expect(out[3 * i] == ranks * 3 * i + ranks * (ranks - 1) / 2, "a type and an operator that were freed");
    if (i < N - 1) expect(out[3 * i + 1] == -5, "a gap");
  }
  expect(x == 99, "a communicator that was freed");
  return taken;
}

static void freed_in_the_end(void) {
  enum { ROUNDS = 20, MAY_BE_LEFT = 4 };
  numbers first = freed_before_the_end(), last = first;
  for (int i = 1; i < ROUNDS; i++) last = freed_before_the_end();
  expect(last.type - first.type <= MAY_BE_LEFT, "a type that was freed is kept");
  expect(last.op - first.op <= MAY_BE_LEFT, "an operator that was freed is kept");
}

/* ---- other functions wait ------------------------------------------------------------------------------ */

/* Rank 1 of a chain passes the data on, while it waits for a message that the last rank sends when it has the data. */
static void waiting_elsewhere(void) {
  enum { N = 100000 };
  int *data = malloc(sizeof(int) * N), word = 0, last = ranks - 1;
  MPI_Request request;
  for (int how = 0; how < 4 && ranks > 2; how++) {
    for (int i = 0; i < N; i++) data[i] = rank == 0 ? i + how : -1;
    MPI_Ibcast(data, N, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == last) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      for (int to = 0; to < last; to++) MPI_Send(&how, 1, MPI_INT, to, 11, MPI_COMM_WORLD);
    } else {
      MPI_Request other;
      int flag = 0;
      switch (how) {
        case 0: MPI_Recv(&word, 1, MPI_INT, last, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
        case 1: MPI_Probe(last, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
        case 2:
          while (!flag) MPI_Iprobe(last, 11, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
          break;
        default: MPI_Irecv(&word, 1, MPI_INT, last, 11, MPI_COMM_WORLD, &other); MPI_Wait(&other, MPI_STATUS_IGNORE);
      }
      if (how == 1 || how == 2) MPI_Recv(&word, 1, MPI_INT, last, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(word == how, "the message");
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < N; i++) expect(data[i] == i + how, "advanced by another function that waits");
  }
  free(data);
}

/* Rank 0 leaves the broadcast's last steps to a blocking collective of another communicator. */
static void waiting_in_a_collective(void) {
  enum { N = 100000 };
  MPI_Comm other;
  MPI_Request request;
  int *data = malloc(sizeof(int) * N);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (int i = 0; i < N; i++) data[i] = rank == 0 ? i : -1;
  MPI_Ibcast(data, N, MPI_INT, 0, MPI_COMM_WORLD, &request);
  if (rank == ranks - 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(other);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) expect(data[i] == i, "advanced by a blocking collective");
  MPI_Comm_free(&other);
  free(data);
}

/* ---- persistent ones ----------------------------------------------------------------------------------- */

#ifdef HAS_PERSISTENT
static void persistent(void) {
  enum { ROUNDS = 12, N = 20 };
  MPI_Comm comm;
  MPI_Datatype pair;
  MPI_Op op;
  MPI_Request all[5];
  int x[2] = { 0 }, in[3 * N], out[3 * N], got = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(add_both, 1, &op);
  INIT(Bcast)(&x[0], 1, MPI_INT, 0, comm, MPI_INFO_NULL, &all[0]);
  INIT(Allreduce)(in, out, N, pair, op, comm, MPI_INFO_NULL, &all[1]);
  INIT(Bcast)(&x[1], 1, MPI_INT, ranks - 1, comm, MPI_INFO_NULL, &all[2]);
  MPI_Recv_init(&got, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &all[3]);
  INIT(Barrier)(comm, MPI_INFO_NULL, &all[4]); /* which may be the library's own */
  MPI_Type_free(&pair);
  MPI_Op_free(&op);
  for (int round = 0; round < ROUNDS; round++) {
    x[0] = rank == 0 ? round : -1;
    x[1] = rank == ranks - 1 ? 2 * round : -1;
    for (int i = 0; i < 3 * N; i++) in[i] = rank + i + round;
    if (round % 2) MPI_Startall(5, all);
    else /* in any order, which may differ */
      for (int i = 0; i < 5; i++) MPI_Start(&all[(i + rank) % 5]);
    MPI_Send(&round, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
    MPI_Waitall(5, all, MPI_STATUSES_IGNORE);
    expect(x[0] == round && x[1] == 2 * round && got == round, "persistent broadcasts");
    for (int i = 0; i < N; i++)
      expect(out[3 * i] == ranks * (3 * i + round) + ranks * (ranks - 1) / 2, "a persistent allreduce");
  }
  MPI_Start(&all[0]);
  MPI_Comm_free(&comm);
  MPI_Wait(&all[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 5; i++) MPI_Request_free(&all[i]);
  expect(all[0] == MPI_REQUEST_NULL, "a request that is freed is null");
}
#else
static void persistent(void) {}
#endif

int main(int argc, char **argv) {
  MPI_Comm part;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int elsewhere = argc < 2 || strcmp(argv[1], "calls"); /* of a library that tells nobody that it waits */
  first_calls_in_any_order();
  many_on_one(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &part);
  many_on_one(part);
  MPI_Comm_free(&part);
  displacements_change_meanwhile();
  freed_in_the_end();
  waiting_elsewhere();
  if (elsewhere) waiting_in_a_collective();
  persistent();
  int total;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", total);
  MPI_Finalize();
  return total != 0;
}
