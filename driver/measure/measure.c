#include "driver/measure/measure.h"

#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/json.h"
#include "core/runtime/allocate.h"
#include "core/runtime/port.h"
#include "driver/check/verify.h"
#include "driver/measure/subject.h"
#include "driver/measure/timing.h"
#include "driver/measure/trace.h"

/* The line that ends a point. */
typedef struct {
  const char *kind, *status;
  bool checked;
  long wrong;
  const char *chose;      /* NULL: no decision */
  const timings *timings; /* NULL: nothing was timed */
} ending;

static void print_end(FILE *out, const plan_point *p, const ending *e) {
  json j = json_on(out);
  json_object(&j, NULL);
  json_text(&j, "id", p->id);
  json_bool(&j, "done", true);
  json_text(&j, "kind", e->kind);
  json_text(&j, "status", e->status);
  json_bool(&j, "checked", e->checked);
  json_int(&j, "wrong", e->wrong);
  if (e->chose && e->chose[0]) json_text(&j, "chose", e->chose);
  if (e->timings && e->timings->start) {
    json_text(&j, "start", e->timings->start);
    json_int(&j, "discarded", e->timings->discarded);
  }
  json_end(&j);
  fflush(out);
}

static void print_times(FILE *out, const plan_point *p, const subject *s, const timings *t) {
  int n = s->args.size, rank;
  MPI_Comm_rank(s->comm, &rank);
  /* Ranks that are done early must not send their times while others are still at work: these are messages too. */
  bool late;
  port_start_together(s->comm, 0, &late);
  double *all = rank == 0 ? runtime_allocate(sizeof *all * (size_t)n * (size_t)t->times) : NULL;
  MPI_Gather(t->time, t->times, MPI_DOUBLE, all, t->times, MPI_DOUBLE, 0, s->comm);
  if (rank) return;
  for (int i = 0; i < t->times; i++) {
    double min = all[i], max = all[i], sum = 0;
    for (int r = 0; r < n; r++) {
      double x = all[(size_t)r * (size_t)t->times + (size_t)i];
      min = x < min ? x : min;
      max = x > max ? x : max;
      sum += x;
    }
    json j = json_on(out);
    json_object(&j, NULL);
    json_text(&j, "id", p->id);
    json_int(&j, "rep", i);
    json_real(&j, "min_s", min);
    json_real(&j, "mean_s", sum / n);
    json_real(&j, "max_s", max);
    json_real(&j, "root_s",
              all[(coll_has_root(s->collective) ? (size_t)s->args.root : 0) * (size_t)t->times + (size_t)i]);
    json_end(&j);
  }
  free(all);
}

/* Wrong elements over all ranks of a first call; -1: there is no data to look at, or nobody asked. Fills the buffers even so:
 * reductions of garbage can be slow (denormals), and untouched pages are all one page of zeroes. */
static long check_data(const subject *s, const plan_point *p, buffers *b, int rank) {
  if (!port_holds_data()) return -1;
  buffers_fill(b, s->collective, &s->args, rank, p->type, p->op);
  if (!p->check) return -1;
  subject_run(s);
  long wrong = (long)buffers_check(b, s->collective, &s->args, rank, p->type, p->op, p->key);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, s->comm);
  return wrong;
}

/* A point that can run, at this rank. */
static void measure_subject(const launch *l, const plan_point *p, subject *s, FILE *out, bool trace) {
  buffers b;
  buffers_make(&b, s->collective, &s->args, l->rank);
  s->args.in = b.in;
  s->args.out = b.out;
  subject_open(s, trace);
  long wrong = check_data(s, p, &b, l->rank);
  timings t = timings_make(p->repetitions, trace);
  if (wrong <= 0) {
    timings_take(&t, s, p);
    print_times(out, p, s, &t);
    if (trace) trace_print(out, s->comm, p->id, s->observer, t.bounds, t.times);
  }
  if (l->rank == 0) {
    char status[SUBJECT_TEXT];
    snprintf(status, sizeof status, wrong > 0 ? "wrong data: %ld elements" : "ok", wrong);
    print_end(out, p,
              &(ending){ .kind = wrong > 0 ? "wrong" : "ok",
                         .status = status,
                         .checked = wrong >= 0,
                         .wrong = wrong > 0 ? wrong : 0,
                         .chose = s->chose,
                         .timings = &t });
  }
  timings_free(&t);
  subject_close(s);
  buffers_free(&b);
}

static void measure_here(launch *l, const plan_point *p, FILE *out, bool trace) {
  int ranks = p->ranks ? p->ranks : l->size;
  subject s = { 0 };
  char reason[SUBJECT_TEXT];
  const char *why = reason;
  if (ranks > l->size) snprintf(reason, sizeof reason, "needs %d ranks, the launch has %d", ranks, l->size);
  else {
    if (launch_first(l, ranks) == MPI_COMM_NULL) return;
    why = subject_find(&s, l, p, ranks, trace, reason, sizeof reason);
  }
  if (!why) measure_subject(l, p, &s, out, trace);
  else if (l->rank == 0) print_end(out, p, &(ending){ .kind = "unsupported", .status = why, .chose = s.chose });
}

void measure_point(launch *l, const plan_point *p, FILE *out, bool trace) {
  int signal;
  switch (port_isolate(l->size, &signal)) {
    case PORT_HERE: measure_here(l, p, out, trace); return;
    case PORT_COPY:
      measure_here(l, p, out, trace);
      port_isolate_end(l->size, out);
      return;
    case PORT_DONE: return;
    case PORT_LOST: {
      char status[SUBJECT_TEXT];
      snprintf(status, sizeof status,
               signal ? "the simulation of this point was ended by signal %d" : "the simulation of this point failed",
               signal);
      if (l->rank == 0) print_end(out, p, &(ending){ .kind = "died", .status = status });
    }
  }
}
