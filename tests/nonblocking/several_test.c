/* Many calls at once, over MPI: on two communicators, waited for in opposite orders, overtaking each other, a long pipeline, from a thread.
 *
 * usage: several_test [threads]: with a thread that advances all calls; status 77 where MPI has no MPI_THREAD_MULTIPLE. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "core/catalogue/find.h"
#include "core/nonblocking/play.h"
#include "core/nonblocking/playing.h"
#include "core/runtime/allocate.h"

enum { CALLS = 40, OUTSTANDING = 64 };

typedef struct {
  MPI_Comm comm[2];
  uint64_t sequence[2];
  int rank, size;
  coll_engine *engine;
  int wrong;
} tester;

static void check(tester *t, bool right, const char *what) {
  if (!right && t->wrong++ < 10) fprintf(stderr, "FAILED rank %d: %s\n", t->rank, what);
}

typedef struct {
  coll_plan *graph;
  size_t count;
} sample;

static sample rooted(const tester *t, const char *key, size_t count, int root) {
  char why[512];
  long param[COLL_PARAMS];
  const coll_alg *alg = coll_find(key, param, why, sizeof why);
  coll_args a = {
    .size = t->size, .count = count, .elem = sizeof(int), .root = root, .commutes = true, .param = param
  };
  sample s = { .count = count, .graph = alg ? coll_plan_make(alg, &a, t->rank, why, sizeof why) : NULL };
  if (!s.graph) {
    fprintf(stderr, "%s: %s\n", key, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return s;
}

static sample sample_of(const tester *t, const char *key, size_t count) { return rooted(t, key, count, 0); }

/* Call number i is an allreduce of i + rank in each element. */
static void fill(const tester *t, const sample *s, int *in, int i) {
  for (size_t k = 0; k < s->count; k++) in[k] = i + t->rank;
}
static bool is_right(const tester *t, const sample *s, const int *out, int i) {
  for (size_t k = 0; k < s->count; k++)
    if (out[k] != t->size * i + t->size * (t->size - 1) / 2) return false;
  return true;
}

/* Even ranks wait from the first on, odd ones from the last: whoever waits for one call advances the others. */
static void opposite_orders(tester *t) {
  sample s = sample_of(t, "allreduce/ring", 3000);
  int *data = runtime_allocate(2 * CALLS * s.count * sizeof *data);
  coll_playing *p[CALLS];
  for (int i = 0; i < CALLS; i++) {
    int *in = data + 2 * (size_t)i * s.count, c = i % 2;
    fill(t, &s, in, i);
    p[i] = coll_start(t->engine, t->comm[c], s.graph, in, in + s.count, MPI_INT, MPI_SUM, t->sequence[c]++);
  }
  for (int i = 0; i < CALLS; i++) coll_complete(p[t->rank % 2 ? CALLS - 1 - i : i]);
  for (int i = 0; i < CALLS; i++) {
    check(t, is_right(t, &s, data + (2 * (size_t)i + 1) * s.count, i), "wrong data of one of many calls");
    coll_finish(p[i]);
  }
  free(data);
  coll_plan_free(s.graph);
}

/* Rank 1 passes the first broadcast on to rank 2 when rank 0, which is late, has sent it: after its own message of the second one, which rank 2
 * must not take for it. `apart` sequences: of the tags' number, the second is held where the first is not done. */
static void overtaking(tester *t, uint64_t apart) {
  enum { COUNT = 5, TAG = 1 };
  if (t->size < 3) return;
  sample s[2] = { rooted(t, "bcast/pipeline", COUNT, 0), rooted(t, "bcast/linear", COUNT, 1) };
  int data[2][COUNT];
  coll_playing *p[2];
  if (t->rank == 0) MPI_Recv(NULL, 0, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < COUNT; k++) data[i][k] = t->rank == i ? 10 * i + k : -1;
    p[i] = coll_start(t->engine, t->comm[0], s[i].graph, data[i], data[i], MPI_INT, MPI_OP_NULL,
                      t->sequence[0] + (uint64_t)i * apart);
  }
  if (t->rank == 1) MPI_Send(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD);
  for (int i = 2; i-- > 0;) {
    coll_complete(p[i]);
    for (int k = 0; k < COUNT; k++)
      check(t, data[i][k] == 10 * i + k, apart == 1 ? "another call's data" : "data of a call with the same tags");
  }
  for (int i = 0; i < 2; i++) {
    coll_finish(p[i]);
    coll_plan_free(s[i].graph);
  }
  t->sequence[0] += 2;
}

/* The root's text sends one segment after the other; so many are under way here and no more. */
static void long_pipeline(tester *t, bool threads) {
  sample s = sample_of(t, "bcast/pipeline[s=4]", 2000);
  int data[2000];
  for (int i = 0; i < 2000; i++) data[i] = t->rank ? -1 : i;
  coll_playing *p = coll_start(t->engine, t->comm[0], s.graph, data, data, MPI_INT, MPI_OP_NULL, t->sequence[0]++);
  if (!threads && t->size > 1)
    check(t, p->outstanding == OUTSTANDING, "a long pipeline has not as many messages under way as it may");
  coll_complete(p);
  coll_finish(p);
  bool right = true;
  for (int i = 0; i < 2000; i++) right &= data[i] == i;
  check(t, right, "wrong data of a long pipeline");
  coll_plan_free(s.graph);
}

typedef struct {
  coll_engine *engine;
  atomic_bool stop;
} looker;

static int look_on(void *self) {
  looker *k = self;
  while (!k->stop)
    if (!coll_advance(k->engine)) thrd_yield();
  return 0;
}

/* Nobody but the thread looks. */
static void left_alone(tester *t) {
  sample s = sample_of(t, "allreduce/ring", 1000);
  int in[1000], out[1000];
  for (int i = 0; i < CALLS; i++) {
    fill(t, &s, in, i);
    coll_playing *p = coll_start(t->engine, t->comm[1], s.graph, in, out, MPI_INT, MPI_SUM, t->sequence[1]++);
    while (!coll_done(p)) thrd_yield();
    check(t, is_right(t, &s, out, i), "wrong data of a call that a thread advanced");
    coll_finish(p);
  }
  coll_plan_free(s.graph);
}

int main(int argc, char **argv) {
  bool threads = argc > 1 && !strcmp(argv[1], "threads");
  int provided;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (threads && provided < MPI_THREAD_MULTIPLE) return MPI_Finalize(), 77;
  tester t = { .engine = coll_engine_make(threads) };
  for (int c = 0; c < 2; c++) MPI_Comm_dup(MPI_COMM_WORLD, &t.comm[c]);
  MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &t.size);
  looker k = { .engine = t.engine };
  thrd_t thread;
  if (threads) thrd_create(&thread, look_on, &k);
  opposite_orders(&t);
  overtaking(&t, 1);
  overtaking(&t, requests_numbers());
  long_pipeline(&t, threads);
  if (threads) left_alone(&t);
  k.stop = true;
  if (threads) thrd_join(thread, NULL);
  coll_engine_free(t.engine);
  for (int c = 0; c < 2; c++) MPI_Comm_free(&t.comm[c]);
  MPI_Finalize();
  return t.wrong != 0;
}
