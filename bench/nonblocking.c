/* What calls cost that go on by themselves, and how much of them work hides: bench/nonblocking.py runs it. Rank 0 prints a JSON line.
 *
 *   collscope-nonblocking cost KEY COUNT      KEY on COUNT floats, started and waited for at once, beside the blocking call, in neighbouring
 *                                             batches; and what the plan takes in memory
 *   collscope-nonblocking overlap KEY COUNT   an allreduce beside work that takes as long: by ours and by MPI_Iallreduce, looked at between
 *                                             pieces of the work, not looked at, and (ours) with a thread that looks while it is under way
 *
 * overlap is OSU's: 1 - (time of both together - time of the work) / time of the call alone, not below 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/nonblocking/play.h"
#include "core/nonblocking/thread.h"
#include "core/runtime/mpi.h"
#include "core/runtime/port.h"
#include "driver/launch.h"

enum { PAIRS = 300, REPETITIONS = 400, PIECES = 100 };

typedef struct {
  launch l;
  const coll_alg *alg;
  coll_args args;
  long param[COLL_PARAMS];
  MPI_Op op;
  coll_plan *graph;
  coll_engine *engine;
  coll_thread *thread; /* NULL: none */
  coll_call *blocking;
  uint64_t calls;
} subject;

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *of, int n) {
  qsort(of, (size_t)n, sizeof *of, ascending);
  return of[n / 2];
}

/* Of times that others on the machine lengthen, and nothing shortens. */
static double lowest_tenth(double *of, int n) {
  qsort(of, (size_t)n, sizeof *of, ascending);
  return of[n / 10];
}

static double longest(const subject *s, double own) {
  double all;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, s->l.world);
  return all;
}

static coll_playing *start(subject *s) {
  coll_playing *p = coll_start(s->engine, s->l.world, s->graph, s->args.in, s->args.out, MPI_FLOAT, s->op, s->calls++);
  if (s->thread) coll_thread_wake(s->thread);
  return p;
}

static void at_once(subject *s) {
  coll_playing *p = start(s);
  coll_complete(p);
  coll_finish(p);
}

static void open_subject(subject *s, const char *key, size_t count) {
  char reason[512];
  launch_open(&s->l);
  s->alg = coll_find(key, s->param, reason, sizeof reason);
  s->args = (coll_args){
    .size = s->l.size, .count = count, .elem = sizeof(float), .commutes = true, .param = s->param, .place = s->l.place
  };
  const char *why = s->alg ? coll_unsupported(s->alg, &s->args, reason, sizeof reason) : reason;
  if (!why) {
    coll_collective k = s->alg->collective;
    s->args.out = port_alloc(sizeof(float) * coll_out_count(k, &s->args, s->l.rank) + 1);
    s->args.in = k == COLL_BCAST ? s->args.out : port_alloc(sizeof(float) * coll_in_count(k, &s->args, s->l.rank) + 1);
    s->op = coll_has_operator(k) ? MPI_SUM : MPI_OP_NULL;
    s->graph = coll_plan_make(s->alg, &s->args, s->l.rank, reason, sizeof reason);
  }
  if (!s->graph) {
    if (!s->l.rank) fprintf(stderr, "collscope-nonblocking: %s: %s\n", key, why ? why : reason);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  s->blocking = coll_open(s->l.world, s->alg, &s->args, MPI_FLOAT, s->op);
}

static void close_subject(subject *s) {
  coll_close(s->blocking);
  coll_plan_free(s->graph);
  if (s->args.in != s->args.out) port_release((void *)s->args.in);
  port_release(s->args.out);
  launch_close(&s->l);
}

/* ---- cost ------------------------------------------------------------------------------------------- */

static double batch(subject *s, bool nonblocking, int calls) {
  MPI_Barrier(s->l.world);
  double begun = MPI_Wtime();
  for (int i = 0; i < calls; i++) {
    if (nonblocking) at_once(s);
    else coll_run(s->blocking);
  }
  return longest(s, MPI_Wtime() - begun) / calls;
}

static void cost(subject *s) {
  static double ratio[PAIRS], time[2][PAIRS];
  s->engine = coll_engine_make(false);
  double one = batch(s, false, 10);
  int calls = one > 1e-3 ? 1 : one < 1e-6 ? 1000 : (int)(1e-3 / one);
  MPI_Bcast(&calls, 1, MPI_INT, 0, s->l.world);
  for (int i = -PAIRS / 10; i < PAIRS; i++) {
    double pair[2];
    for (int half = 0; half < 2; half++) pair[(half + i) & 1] = batch(s, (half + i) & 1, calls);
    if (i < 0) continue;
    ratio[i] = pair[1] / pair[0];
    time[0][i] = pair[0];
    time[1][i] = pair[1];
  }
  if (!s->l.rank)
    printf("{\"blocking_s\":%.9g,\"nonblocking_s\":%.9g,\"ratio\":%.4f,\"operations\":%zu,\"bytes\":%zu}\n",
           median(time[0], PAIRS), median(time[1], PAIRS), median(ratio, PAIRS), coll_plan_operations(s->graph),
           coll_plan_bytes(s->graph));
  coll_engine_free(s->engine);
}

/* ---- overlap ---------------------------------------------------------------------------------------- */

typedef enum { OURS_LOOKED_AT, OURS_LEFT_ALONE, OURS_BY_THREAD, LIBRARY_LOOKED_AT, LIBRARY_LEFT_ALONE, KINDS } progress;
static const char *const progress_name[] = { "ours_calls", "ours_alone", "ours_thread", "library_calls",
                                             "library_alone" };

static volatile double sink;

static void work(long steps) {
  double x = sink;
  for (long i = 0; i < steps; i++) x = x * 0.999999 + 1e-6;
  sink = x;
}

static void one_call(subject *s, progress w, long steps) {
  bool looks = w == OURS_LOOKED_AT || w == LIBRARY_LOOKED_AT;
  int done;
  if (w >= LIBRARY_LOOKED_AT) {
    MPI_Request request;
    MPI_Iallreduce(s->args.in, s->args.out, (int)s->args.count, MPI_FLOAT, MPI_SUM, s->l.world, &request);
    for (int i = 0; i < PIECES && steps; i++) {
      work(steps / PIECES);
      if (looks) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  coll_playing *p = start(s);
  for (int i = 0; i < PIECES && steps; i++) {
    work(steps / PIECES);
    if (looks) coll_test(p);
  }
  coll_complete(p);
  coll_finish(p);
}

static double timed(subject *s, progress w, long steps) {
  MPI_Barrier(s->l.world);
  double begun = MPI_Wtime();
  one_call(s, w, steps);
  return longest(s, MPI_Wtime() - begun);
}

static double timed_work(subject *s, long steps) {
  MPI_Barrier(s->l.world);
  double begun = MPI_Wtime();
  for (int i = 0; i < PIECES; i++) work(steps / PIECES);
  return longest(s, MPI_Wtime() - begun);
}

static int look(void *engine) { return coll_advance(engine) ? 0 : -1; }

/* Times of the call alone, of work that takes as long, and of both together: the lowest tenth of each. */
static void measure_kind(subject *s, progress w) {
  static double alone[REPETITIONS], worked[REPETITIONS], both[REPETITIONS];
  s->engine = coll_engine_make(w == OURS_BY_THREAD);
  s->thread = w == OURS_BY_THREAD ? coll_thread_start(-1, look, s->engine) : NULL;
  for (int i = -5; i < REPETITIONS; i++) alone[i < 0 ? 0 : i] = timed(s, w, 0);
  double call = lowest_tenth(alone, REPETITIONS);
  long steps = 100000;
  for (int i = 0; i < 10; i++) worked[i] = timed_work(s, steps);
  steps = (long)((double)steps * call / lowest_tenth(worked, 10));
  MPI_Bcast(&steps, 1, MPI_LONG, 0, s->l.world);
  for (int i = 0; i < REPETITIONS; i++) {
    alone[i] = timed(s, w, 0);
    worked[i] = timed_work(s, steps);
    both[i] = timed(s, w, steps);
  }
  if (s->thread) coll_thread_end(s->thread);
  coll_engine_free(s->engine);
  call = lowest_tenth(alone, REPETITIONS);
  double busy = lowest_tenth(worked, REPETITIONS), together = lowest_tenth(both, REPETITIONS);
  double overlap = 1 - (together - busy) / call;
  if (!s->l.rank)
    printf("{\"progress\":\"%s\",\"call_s\":%.9g,\"work_s\":%.9g,\"together_s\":%.9g,\"overlap\":%.4f}\n",
           progress_name[w], call, busy, together, overlap < 0 ? 0 : overlap);
}

int main(int argc, char **argv) {
  int provided;
  bool overlap = argc > 1 && !strcmp(argv[1], "overlap");
  MPI_Init_thread(&argc, &argv, overlap ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (argc != 4 || (!overlap && strcmp(argv[1], "cost"))) {
    fprintf(stderr, "usage: collscope-nonblocking cost|overlap KEY COUNT\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  subject s = { .calls = 0 };
  open_subject(&s, argv[2], strtoull(argv[3], NULL, 10));
  if (overlap)
    for (int w = 0; w < KINDS; w++) {
      if (w == OURS_BY_THREAD && provided < MPI_THREAD_MULTIPLE) continue;
      measure_kind(&s, (progress)w);
    }
  else cost(&s);
  close_subject(&s);
  MPI_Finalize();
  return 0;
}
