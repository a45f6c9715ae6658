/* Calls that go on by themselves, over MPI, real or simulated: every algorithm of the catalogue that can, with the points that a sweep
 * visits. Several are under way at once, the ranks wait for them in different orders, by looking and by waiting, and start them again.
 *
 * usage: play_test PART PARTS: every PARTS-th algorithm. Status 1 when anything is wrong, which it says. */
#include <stdio.h>
#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "core/nonblocking/play.h"
#include "driver/check/points.h"
#include "driver/check/verify.h"
#include "driver/launch.h"

enum { AT_ONCE = 3, ROUNDS = 2, RANKS_MAX = 16 };

typedef struct {
  launch l;
  MPI_Comm comm; /* of the first p ranks */
  coll_engine *engine;
  uint64_t calls[RANKS_MAX + 1]; /* of the first p ranks */
  size_t played, refused, wrong;
} tester;

static void fails(tester *t, const coll_alg *alg, const coll_args *a, plan_type type, const char *why) {
  char name[POINTS_NAME];
  points_name(name, sizeof name, alg, a, type);
  if (t->wrong++ < 10) fprintf(stderr, "FAILED %s: rank %d: %s\n", name, t->l.rank, why);
}

/* Ranks begin elsewhere and look at different calls before they wait. */
static void complete_all(tester *t, coll_playing *playing[AT_ONCE]) {
  int first = (t->l.rank + (int)t->played) % AT_ONCE;
  if ((t->l.rank + (int)t->played / 2) % 2) coll_test(playing[AT_ONCE - 1]);
  for (int i = 0; i < AT_ONCE; i++) {
    coll_playing *p = playing[(first + i) % AT_ONCE];
    for (int looks = 0; looks < 3; looks++) coll_test(p);
    coll_complete(p);
  }
}

typedef struct {
  const coll_alg *alg;
  coll_args args;
  plan_type type;
  plan_op op;
} point;

static void play(tester *t, const point *q, const coll_plan *graph) {
  coll_collective k = q->alg->collective;
  MPI_Datatype type = t->l.types.type[q->type];
  MPI_Op op = coll_has_operator(k) ? t->l.types.op[q->op] : MPI_OP_NULL;
  buffers b[AT_ONCE];
  coll_playing *playing[AT_ONCE];
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < AT_ONCE; i++) {
      if (!round) buffers_make(&b[i], k, &q->args, t->l.rank);
      buffers_fill(&b[i], k, &q->args, t->l.rank, q->type, q->op);
      if (round) coll_restart(playing[i], b[i].in, b[i].out, t->calls[q->args.size]++);
      else playing[i] = coll_start(t->engine, t->comm, graph, b[i].in, b[i].out, type, op, t->calls[q->args.size]++);
    }
    complete_all(t, playing);
    for (int i = 0; i < AT_ONCE; i++)
      if (buffers_check(&b[i], k, &q->args, t->l.rank, q->type, q->op, NULL))
        fails(t, q->alg, &q->args, q->type, round ? "wrong data when started again" : "wrong data");
  }
  for (int i = 0; i < AT_ONCE; i++) {
    coll_finish(playing[i]);
    buffers_free(&b[i]);
  }
}

/* Nobody is done before everybody has begun: each in turn begins when the others, who have looked often, say so. */
static void late_ones(tester *t, const point *q, const coll_plan *graph) {
  enum { LOOKS = 20, TAG = 1 };
  for (int late = 0; late < q->args.size; late++) {
    coll_playing *p = NULL;
    for (int i = 0; i < q->args.size && t->l.rank == late; i++)
      if (i != late) MPI_Recv(NULL, 0, MPI_INT, i, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    p = coll_start(t->engine, t->comm, graph, NULL, NULL, MPI_BYTE, MPI_OP_NULL, t->calls[q->args.size]++);
    if (t->l.rank != late) {
      for (int looks = 0; looks < LOOKS; looks++)
        if (coll_test(p)) {
          fails(t, q->alg, &q->args, q->type, "is done before another rank begins");
          break;
        }
      MPI_Send(NULL, 0, MPI_INT, late, TAG, MPI_COMM_WORLD);
    }
    coll_complete(p);
    coll_finish(p);
  }
}

static void one_point(void *self, const coll_alg *alg, const coll_args *shape, plan_type type, plan_op op) {
  tester *t = self;
  char why[512];
  point q = { alg, *shape, type, op };
  if (coll_unsupported(alg, shape, why, sizeof why)) return;
  coll_plan *graph = coll_plan_make(alg, shape, t->l.rank, why, sizeof why);
  bool cannot = alg->flags & (COLL_ANY_SOURCE | COLL_SEGMENTS);
  if (!graph != cannot) fails(t, alg, shape, type, graph ? "can be played, which it must not" : why);
  if (!graph) {
    t->refused++;
    return;
  }
  if (alg->collective == COLL_BARRIER) late_ones(t, &q, graph);
  play(t, &q, graph);
  t->played++;
  coll_plan_free(graph);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int part = argc > 2 ? atoi(argv[1]) : 0, parts = argc > 2 ? atoi(argv[2]) : 1;
  tester t = { .engine = coll_engine_make(false) };
  launch_open(&t.l);
  for (int at = 0; coll_registry[at]; at++)
    for (int p = 1; p <= t.l.size && at % parts == part; p++) {
      t.comm = launch_first(&t.l, p);
      if (t.l.rank < p) points_each(coll_registry[at], p, t.l.place, 3, one_point, &t);
    }
  unsigned long mine[3] = { t.wrong, t.played, t.refused }, all[3];
  MPI_Allreduce(mine, all, 3, MPI_UNSIGNED_LONG, MPI_SUM, t.l.world);
  if (!t.l.rank) printf("%lu played, %lu refused, %lu wrong\n", all[1], all[2], all[0]);
  coll_engine_free(t.engine);
  launch_close(&t.l);
  MPI_Finalize();
  return all[0] || !all[1];
}
