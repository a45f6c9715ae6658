/* One point of a plan: data checked first if asked, then timed. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/find.h"
#include "core/catalogue/key.h"
#include "core/catalogue/decide.h"
#include "core/catalogue/json.h"
#include "core/runtime/mpi.h"
#include "core/runtime/port.h"

enum { TEXT = 320 };

/* What runs: an algorithm of ours, or MPI's own function. */
typedef struct {
  MPI_Comm comm;
  coll_collective collective;
  coll_args args;
  const coll_alg *alg;         /* NULL: MPI's own */
  coll_call *call;
  coll_observer *observer;     /* NULL: nobody asked what happens inside */
  builtin builtin;             /* if alg is NULL */
  MPI_Datatype type;
  MPI_Op op;
  long param[COLL_PARAMS];
  char chose[TEXT];            /* the full key of what a decision picked */
} subject;

MPI_Comm driver_first(driver *d, int ranks) {
  if (ranks == d->size) return d->world;
  if (!d->made[ranks]) {
    MPI_Comm_split(d->world, d->rank < ranks ? 0 : MPI_UNDEFINED, d->rank, &d->first[ranks]);
    d->made[ranks] = true;
  }
  return d->first[ranks];
}

/* Finds what the point names. Returns NULL, or the reason why it cannot run, in reason[size]. */
static const char *resolve(const driver *d, const plan_point *p, subject *s, char *reason, size_t size) {
  const char *mismatch = coll_has_operator(p->collective) ? plan_op_mismatch(p->type, p->op) : NULL;
  if (mismatch) return snprintf(reason, size, "%s", mismatch), reason;
  if (coll_has_root(p->collective) && (p->root < 0 || p->root >= s->args.size))
    return snprintf(reason, size, "root %d is not one of the %d ranks", p->root, s->args.size), reason;
  const char *slash = strchr(p->key, '/');
  if (slash && !strcmp(slash, "/builtin")) {
    if (!coll_facts_of(p->collective)->mpi)
      return snprintf(reason, size, "MPI has no %s", coll_collective_name(p->collective)), reason;
    if (d->trace) return snprintf(reason, size, "MPI's own call cannot be seen into"), reason;
    if (p->count > (size_t)1 << 30) return snprintf(reason, size, "MPI's own call takes at most 2^30 elements here"), reason;
    return NULL;
  }
  s->alg = coll_choose(p->key, p->collective, &s->args, s->param, reason, size);
  if (!s->alg) return reason;
  if (coll_is_decision(p->key)) coll_key(s->alg, s->param, s->chose, sizeof s->chose);
  if (s->alg->collective != p->collective)
    return snprintf(reason, size, "%s is no algorithm of %s", s->alg->key, coll_collective_name(p->collective)), reason;
  if (d->trace && (p->metric == PLAN_LOOP || p->metric == PLAN_OSU_AVG))
    return snprintf(reason, size, "a trace needs a common start: metric makespan"), reason;
  return coll_unsupported(s->alg, &s->args, reason, size);
}

static void run(subject *s) {
  if (s->call) coll_run(s->call);
  else builtin_run(&s->builtin);
}

/* ---- timing ----------------------------------------------------------------------------------------- */

typedef struct {
  double *time;                /* [repetitions] of this rank */
  trace_bounds *bounds;        /* [repetitions] NULL: not wanted */
  const char *start;           /* how ranks started together */
  int discarded;               /* repetitions that were done again: some rank began too late, or the start changed after them */
} timings;

/* All ranks leave together; a rank's time runs from the common start to its own end. */
static void time_together(subject *s, int repetitions, timings *t) {
  double window = port_window(s->comm);
  int lost = 0;
  for (int i = 0; i < repetitions;) {
    bool late;
    if (s->observer) observe_repetition(s->observer, i);
    double start = port_start_together(s->comm, window, &late);
    run(s);
    double end = port_now();
    t->time[i] = end - start;
    if (t->bounds) t->bounds[i] = (trace_bounds){ start, end };
    if (window > 0) {
      int any = late;
      MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, s->comm);
      if (any) {
        t->discarded++;
        /* Ranks that share cores may never all be there in time; a barrier is the best there is then, and the output says so. */
        if (++lost % 4 == 0) window = lost < 20 ? 2 * window : 0;
        /* All repetitions of a point start the same way, the way that the output says. */
        if (window <= 0) {
          t->discarded += i;
          i = 0;
        }
        continue;
      }
    }
    i++;
  }
  t->start = port_start_method(window);
}

/* What OSU's benchmarks do: a barrier, then each rank takes its own time. */
static void time_after_barrier(subject *s, int repetitions, timings *t) {
  for (int i = 0; i < repetitions; i++) {
    MPI_Barrier(s->comm);
    double start = port_now();
    run(s);
    t->time[i] = port_now() - start;
  }
  t->start = "barrier";
}

/* One time for all repetitions in a row. */
static void time_loop(subject *s, int repetitions, timings *t) {
  bool late;
  double start = port_start_together(s->comm, 0, &late);
  for (int i = 0; i < repetitions; i++) run(s);
  t->time[0] = (port_now() - start) / repetitions;
  t->start = port_start_method(0);
}

static void print_times(const driver *d, const plan_point *p, const subject *s, const timings *t, int times) {
  int n = s->args.size, rank;
  MPI_Comm_rank(s->comm, &rank);
  /* Ranks that are done early must not send their times while others are still at work: these are messages too. */
  bool late;
  port_start_together(s->comm, 0, &late);
  double *all = rank == 0 ? malloc(sizeof *all * (size_t)n * (size_t)times) : NULL;
  MPI_Gather(t->time, times, MPI_DOUBLE, all, times, MPI_DOUBLE, 0, s->comm);
  if (rank) return;
  for (int i = 0; i < times; i++) {
    double min = all[i], max = all[i], sum = 0;
    for (int r = 0; r < n; r++) {
      double x = all[r * times + i];
      min = x < min ? x : min;
      max = x > max ? x : max;
      sum += x;
    }
    fprintf(d->out, "{\"id\":\"%s\",\"rep\":%d,\"min_s\":%.17g,\"mean_s\":%.17g,\"max_s\":%.17g,\"root_s\":%.17g}\n", p->id, i, min,
            sum / n, max, all[(coll_has_root(s->collective) ? s->args.root : 0) * times + i]);
  }
  free(all);
}

/* ---- the point -------------------------------------------------------------------------------------- */

static void print_done(const driver *d, const plan_point *p, const subject *s, const char *status, long wrong, const timings *t) {
  fprintf(d->out, "{\"id\":\"%s\",\"done\":true,\"status\":", p->id);
  json_string(d->out, status);
  fprintf(d->out, ",\"checked\":%s,\"wrong\":%ld", p->check && wrong >= 0 ? "true" : "false", wrong < 0 ? 0 : wrong);
  if (s->chose[0]) fprintf(d->out, ",\"chose\":\"%s\"", s->chose);
  if (t && t->start) fprintf(d->out, ",\"start\":\"%s\",\"discarded\":%d", t->start, t->discarded);
  fprintf(d->out, "}\n");
  fflush(d->out);
}

static void measure_here(driver *d, const plan_point *p) {
  int ranks = p->ranks ? p->ranks : d->size;
  subject s = { .collective = p->collective, .op = MPI_OP_NULL };
  char reason[TEXT];
  if (ranks > d->size) {
    snprintf(reason, sizeof reason, "needs %d ranks, the launch has %d", ranks, d->size);
    if (d->rank == 0) print_done(d, p, &s, reason, -1, NULL);
    return;
  }
  s.comm = driver_first(d, ranks);
  if (d->rank >= ranks) return;
  s.args = plan_args(p, ranks, s.param, d->place);
  s.type = d->types.type[p->type];
  if (coll_has_operator(p->collective)) s.op = d->types.op[p->op];
  const char *why = resolve(d, p, &s, reason, sizeof reason);
  if (why) {
    if (d->rank == 0) print_done(d, p, &s, why, -1, NULL);
    return;
  }

  buffers b;
  buffers_make(&b, s.collective, &s.args, d->rank);
  s.args.in = b.in;
  s.args.out = b.out;
  if (d->trace) s.observer = observe_make(port_now);
  if (s.alg) s.call = coll_open_observed(s.comm, s.alg, &s.args, s.type, s.op, s.observer);
  else builtin_open(&s.builtin, s.comm, s.collective, &s.args, s.type, s.op);

  long wrong = -1;
  if (p->check && port_holds_data()) {
    buffers_fill(&b, s.collective, &s.args, d->rank, p->type, p->op);
    run(&s);
    wrong = (long)buffers_check(&b, s.collective, &s.args, d->rank, p->type, p->op, p->key);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, s.comm);
  } else if (port_holds_data()) {
    /* Reductions of garbage can be slow (denormals), and untouched pages are all one page of zeroes. */
    buffers_fill(&b, s.collective, &s.args, d->rank, p->type, p->op);
  }

  size_t repetitions = (size_t)(p->repetitions > 0 ? p->repetitions : 1);
  timings t = { .time = malloc(sizeof *t.time * repetitions), .bounds = d->trace ? malloc(sizeof *t.bounds * repetitions) : NULL };
  if (wrong <= 0) {
    for (int i = 0; i < p->warmup; i++) run(&s);
    int times = p->metric == PLAN_LOOP ? 1 : p->repetitions;
    if (p->metric == PLAN_LOOP) time_loop(&s, p->repetitions, &t);
    else if (p->metric == PLAN_OSU_AVG) time_after_barrier(&s, p->repetitions, &t);
    else time_together(&s, p->repetitions, &t);
    print_times(d, p, &s, &t, times);
    if (s.observer) trace_print(d->out, s.comm, p->id, s.observer, t.bounds, times);
  }
  if (d->rank == 0) {
    snprintf(reason, sizeof reason, wrong > 0 ? "wrong data: %ld elements" : "ok", wrong);
    print_done(d, p, &s, reason, wrong, &t);
  }
  free(t.time);
  free(t.bounds);
  if (s.call) coll_close(s.call);
  else builtin_close(&s.builtin);
  if (s.observer) observe_free(s.observer);
  buffers_free(&b);
}

void measure_point(driver *d, const plan_point *p) {
  int signal;
  switch (port_isolate(d->size, &signal)) {
    case PORT_HERE:
      measure_here(d, p);
      return;
    case PORT_COPY:
      measure_here(d, p);
      port_isolate_end(d->size, d->out);
      return;
    case PORT_DONE:
      return;
    case PORT_LOST: {
      char why[TEXT];
      subject none = { 0 };
      snprintf(why, sizeof why, signal ? "the simulation of this point was ended by signal %d" : "the simulation of this point failed", signal);
      if (d->rank == 0) print_done(d, p, &none, why, -1, NULL);
    }
  }
}
