/* What libcollscope.so adds to a call: run with it preloaded, by bench/preload.py. The same call by MPI's first name, which the library has
 * taken, and by another path take turns; printed is the median of the differences of neighbouring batches, in nanoseconds per call.
 *
 *   passed     MPI_Bcast beside PMPI_Bcast
 *   executed   MPI_Bcast beside the driver's call of the algorithm in COLLSCOPE_BCAST
 *   ibcast     passed on: MPI_Ibcast beside PMPI_Ibcast, both waited for by PMPI_Wait; executed: MPI_Ibcast and MPI_Wait beside the driver's
 *              blocking call
 *   wait       MPI_Wait beside PMPI_Wait, of a request that is over */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/allocate.h"
#include "core/runtime/bind.h"
#include "core/runtime/mpi.h"
#include "core/runtime/port.h"

enum { BATCHES = 2000, CALLS = 200, COUNT = 2 };

typedef struct {
  MPI_Comm comm;
  coll_call *call; /* NULL: passed on */
  float data[COUNT];
} subject;

static void by_library(subject *s) { MPI_Bcast(s->data, COUNT, MPI_FLOAT, 0, s->comm); }
static void by_other_path(subject *s) {
  if (s->call) coll_run(s->call);
  else PMPI_Bcast(s->data, COUNT, MPI_FLOAT, 0, s->comm);
}

static void begun_by_library(subject *s) {
  MPI_Request request;
  MPI_Ibcast(s->data, COUNT, MPI_FLOAT, 0, s->comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void begun_by_other_path(subject *s) {
  MPI_Request request;
  if (s->call) {
    coll_run(s->call);
    return;
  }
  PMPI_Ibcast(s->data, COUNT, MPI_FLOAT, 0, s->comm, &request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void wait_by_library(subject *s) {
  MPI_Request request = MPI_REQUEST_NULL;
  (void)s;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void wait_by_other_path(subject *s) {
  MPI_Request request = MPI_REQUEST_NULL;
  (void)s;
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct pair {
  const char *name;
  void (*by_library)(subject *), (*by_other_path)(subject *);
} pairs[] = { { "bcast", by_library, by_other_path },
              { "ibcast", begun_by_library, begun_by_other_path },
              { "wait", wait_by_library, wait_by_other_path } };

static const struct pair *pair_of(const char *name) {
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (!strcmp(pairs[i].name, name)) return &pairs[i];
  fprintf(stderr, "%s: expected bcast, ibcast or wait\n", name);
  exit(2);
}

static double batch(subject *s, void (*call)(subject *)) {
  PMPI_Barrier(s->comm);
  double start = PMPI_Wtime();
  for (int i = 0; i < CALLS; i++) call(s);
  return (PMPI_Wtime() - start) / CALLS;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(subject *s, const struct pair *p) {
  static double difference[BATCHES], alone[BATCHES];
  int rank;
  PMPI_Comm_rank(s->comm, &rank);
  for (int i = -BATCHES / 10; i < BATCHES; i++) {
    double times[2];
    for (int half = 0; half < 2; half++)
      times[(half + i) & 1] = batch(s, (half + i) & 1 ? p->by_library : p->by_other_path);
    if (i < 0) continue;
    difference[i] = times[1] - times[0];
    alone[i] = times[0];
  }
  qsort(difference, BATCHES, sizeof *difference, ascending);
  qsort(alone, BATCHES, sizeof *alone, ascending);
  if (rank == 0)
    printf("{\"call\":\"%s\",\"adds_ns\":%.1f,\"low_ns\":%.1f,\"high_ns\":%.1f,\"other_ns\":%.1f}\n", p->name,
           difference[BATCHES / 2] * 1e9, difference[BATCHES / 4] * 1e9, difference[BATCHES * 3 / 4] * 1e9,
           alone[BATCHES / 2] * 1e9);
}

static void open_call(subject *s, binding *b, const char *key) {
  char reason[BIND_TEXT];
  int ranks;
  PMPI_Comm_size(s->comm, &ranks);
  coll_place *place = runtime_allocate(sizeof *place * (size_t)ranks), mine = port_place(s->comm);
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, place, sizeof mine, MPI_BYTE, s->comm);
  mpi_call call = {
    .collective = COLL_BCAST, .ranks = ranks, .count = COUNT, .type = MPI_FLOAT, .op = MPI_OP_NULL, .place = place
  };
  const char *why = bind_shape(b, &call, reason, sizeof reason);
  if (!why) why = bind_key(b, key, COLL_BCAST, reason, sizeof reason);
  if (why) {
    fprintf(stderr, "%s: %s\n", key, why);
    PMPI_Abort(s->comm, 1);
  }
  b->args.in = b->args.out = s->data;
  s->call = coll_open(s->comm, b->alg, &b->args, b->type, b->op);
}

int main(int argc, char **argv) {
  subject world = { .data = { 0 } };
  binding b;
  const char *key = getenv("COLLSCOPE_BCAST");
  const struct pair *p = pair_of(argc > 1 ? argv[1] : "bcast");
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &world.comm);
  if (key) open_call(&world, &b, key);
  measure(&world, p);
  if (world.call) coll_close(world.call);
  MPI_Finalize();
  return 0;
}
