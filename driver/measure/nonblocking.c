#include "driver/measure/nonblocking.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#include "core/nonblocking/play.h"
#include "core/nonblocking/thread.h"
#include "core/runtime/allocate.h"
#include "core/runtime/give_up.h"
#include "driver/port.h"

struct nonblocking {
  MPI_Comm comm;
  const binding *bound;
  const builtin *builtin;
  coll_plan *plan; /* NULL: the library's own function */
  coll_engine *engine;
  uint64_t sequence;
  bool by_thread;      /* one advances the call, here or as a rank's computation that runs elsewhere */
  coll_thread *thread; /* NULL: none */
  atomic_bool through; /* the call that it advances is */
  /* Of the call that is under way. */
  coll_playing *playing;
  MPI_Request request;
};

const char *nonblocking_unsupported(const plan_point *p, const coll_alg *alg) {
  if (p->progress == PLAN_BY_OFFLOAD)
    return "messages start here where a rank calls MPI: nothing works through a schedule in its place; take --source model";
  if (!alg) return NULL;
  if (alg->flags & COLL_ANY_SOURCE)
    return "receives from any source, so what a rank does next is not known before; it has no non-blocking form";
  return alg->flags & COLL_SEGMENTS
             ? "may use shared segments, whose flags a rank waits for; it has no non-blocking form"
             : NULL;
}

/* ---- the call that is under way ---------------------------------------------------------------------- */

static void start(nonblocking *n) {
  const coll_args *a = &n->bound->args;
  if (n->plan)
    n->playing = coll_start(n->engine, n->comm, n->plan, a->in, a->out, n->bound->type, n->bound->op, n->sequence++);
  else builtin_start(n->builtin, &n->request);
}

static bool test(nonblocking *n) {
  if (n->plan) return coll_test(n->playing);
  int flag;
  MPI_Test(&n->request, &flag, MPI_STATUS_IGNORE);
  return flag;
}

static void wait_for(nonblocking *n) {
  if (n->plan) coll_complete(n->playing);
  else MPI_Wait(&n->request, MPI_STATUS_IGNORE);
}

static void finish(nonblocking *n) {
  if (n->plan) coll_finish(n->playing);
}

void nonblocking_run(nonblocking *n) {
  start(n);
  wait_for(n);
  finish(n);
}

/* ---- opening and closing ----------------------------------------------------------------------------- */

static int look(void *self) {
  nonblocking *n = self;
  if (!n->through) n->through = test(n);
  return n->through ? -1 : 0;
}

static coll_thread *thread_of(nonblocking *n) {
  coll_thread *thread = coll_thread_start(-1, look, n);
  if (thread) return thread;
  fprintf(stderr, "collscope: the system gives no thread to advance a call; take --progress calls\n");
  runtime_give_up(MPI_COMM_WORLD);
  return NULL;
}

nonblocking *nonblocking_open(MPI_Comm comm, const plan_point *q, const binding *bound, const builtin *b) {
  nonblocking *n = runtime_allocate_zeroed(sizeof *n);
  *n = (nonblocking){
    .comm = comm, .bound = bound, .builtin = b, .by_thread = q->progress == PLAN_BY_THREAD, .through = true
  };
  if (n->by_thread && port_has_threads()) n->thread = thread_of(n);
  if (!bound->alg) return n;
  char reason[320];
  int rank;
  MPI_Comm_rank(comm, &rank);
  n->plan = coll_plan_make(bound->alg, &bound->args, rank, reason, sizeof reason);
  if (!n->plan) {
    fprintf(stderr, "collscope: %s has no non-blocking form: %s\n", q->key, reason);
    runtime_give_up(MPI_COMM_WORLD);
  }
  n->engine = coll_engine_make(n->thread);
  return n;
}

void nonblocking_close(nonblocking *n) {
  if (n->thread) coll_thread_end(n->thread);
  if (n->plan) {
    coll_engine_free(n->engine);
    coll_plan_free(n->plan);
  }
  free(n);
}

/* ---- beside computation ------------------------------------------------------------------------------ */

static double compute_and_wait(nonblocking *n, double work_s) {
  port_compute(work_s);
  wait_for(n);
  return work_s;
}

static double compute_and_poll(nonblocking *n, double each_s) {
  double done_s = 0;
  do {
    port_compute(each_s);
    done_s += each_s;
  } while (!test(n));
  return done_s;
}

/* Where nothing runs beside a rank, its computation does: on another core, which takes no part in what the rank's own does for the call. */
static double compute_elsewhere(nonblocking *n, double begin_s, double work_s, double each_s) {
  wait_for(n);
  double took_s = port_now() - begin_s;
  if (each_s > 0) work_s = fmax(1, ceil(took_s / each_s * (1 - 1e-9))) * each_s;
  port_wait_until(begin_s + work_s);
  return work_s;
}

static double compute_beside_thread(nonblocking *n, double work_s, double each_s) {
  n->through = false;
  coll_thread_wake(n->thread);
  double done_s = 0;
  if (each_s > 0) do {
      port_compute(each_s);
      done_s += each_s;
    } while (!n->through);
  else port_compute(done_s = work_s);
  while (!n->through) thrd_yield();
  return done_s;
}

double nonblocking_run_beside(nonblocking *n, double begin_s, double work_s, bool polls) {
  double each_s = polls ? work_s * PLAN_POLL_PART : 0, done_s;
  start(n);
  if (!n->by_thread) done_s = polls ? compute_and_poll(n, each_s) : compute_and_wait(n, work_s);
  else if (n->thread) done_s = compute_beside_thread(n, work_s, each_s);
  else done_s = compute_elsewhere(n, begin_s, work_s, each_s);
  finish(n);
  return done_s;
}
