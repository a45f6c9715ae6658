#include "driver/measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "core/catalogue/json.h"
#include "core/runtime/allocate.h"
#include "core/runtime/port_memory.h"
#include "driver/check/verify.h"
#include "driver/measure/subject.h"
#include "driver/measure/timing.h"
#include "driver/measure/trace.h"
#include "driver/port.h"

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

/* Of one repetition: values[rank * times + i], and of metric overlap works[…], too. */
static void print_repetition(FILE *out, const plan_point *p, const subject *s, const timings *t, int i,
                             const double *values, const double *works) {
  size_t n = (size_t)s->bound.args.size, times = (size_t)t->times, root = 0, last = 0;
  double min = INFINITY, sum = 0, worked = 0;
  if (coll_has_root(s->collective)) root = (size_t)s->bound.args.root;
#define OF(list, r) (list)[(r) * times + (size_t)i]
  for (size_t r = 0; r < n; r++) {
    min = fmin(min, OF(values, r));
    sum += OF(values, r);
    if (OF(values, r) > OF(values, last)) last = r;
    if (works) worked += OF(works, r);
  }
  json j = json_on(out);
  json_object(&j, NULL);
  json_text(&j, "id", p->id);
  json_int(&j, "rep", i);
  json_real(&j, "min_s", min);
  json_real(&j, "mean_s", sum / (double)n);
  json_real(&j, "max_s", OF(values, last));
  json_real(&j, "root_s", OF(values, root));
  if (works) {
    json_real(&j, "pure_s", t->pure_s);
    json_real(&j, "work_s", OF(works, last));
    json_real(&j, "available", worked / (sum * (p->progress == PLAN_BY_THREAD ? 2 : 1)));
  }
#undef OF
  json_end(&j);
}

static double *gather_at_first(const subject *s, const double *mine, int times, int rank) {
  double *all = rank == 0 ? runtime_allocate(sizeof *all * (size_t)s->bound.args.size * (size_t)times) : NULL;
  MPI_Gather(mine, times, MPI_DOUBLE, all, times, MPI_DOUBLE, 0, s->comm);
  return all;
}

static void print_times(FILE *out, const plan_point *p, const subject *s, const timings *t) {
  int rank;
  MPI_Comm_rank(s->comm, &rank);
  /* Ranks that are done early must not send their times while others are still at work: these are messages too. */
  bool late, beside = p->metric == PLAN_OVERLAP;
  port_start_together(s->comm, 0, &late);
  double *values = gather_at_first(s, t->time, t->times, rank);
  double *works = beside ? gather_at_first(s, t->work, t->times, rank) : NULL;
  for (int i = 0; i < t->times && rank == 0; i++) print_repetition(out, p, s, t, i, values, works);
  free(values);
  free(works);
}

/* Wrong elements over all ranks of a first call; -1: there is no data to look at, or nobody asked. Fills the buffers even so:
 * reductions of garbage can be slow (denormals), and untouched pages are all one page of zeroes. */
static long check_data(const subject *s, const plan_point *p, buffers *b, int rank) {
  if (!port_holds_data()) return -1;
  buffers_fill(b, s->collective, &s->bound.args, rank, p->type, p->op);
  if (!p->check) return -1;
  subject_run(s);
  long wrong = (long)buffers_check(b, s->collective, &s->bound.args, rank, p->type, p->op, p->key);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, s->comm);
  return wrong;
}

/* ---- the points of a group -------------------------------------------------------------------------- */

typedef struct {
  launch *launch;
  const plan_point *point;
  size_t points;
  FILE *out;
  bool trace;
} group;

/* Whether the point can run and its data is right: then it is to be timed. If not, its line is printed. */
static bool begin(const group *g, const plan_point *p, int ranks, timed *m) {
  char status[SUBJECT_TEXT];
  *m = (timed){ .point = p, .buffers = m->buffers };
  subject *s = &m->subject;
  const char *why = subject_find(s, g->launch, p, ranks, g->trace, status, sizeof status);
  if (why) {
    if (g->launch->rank == 0)
      print_end(g->out, p, &(ending){ .kind = "unsupported", .status = why, .chose = s->bound.chose });
    return false;
  }
  if (!m->buffers->made) buffers_make(m->buffers, s->collective, &s->bound.args, g->launch->rank);
  s->bound.args.in = m->buffers->in;
  s->bound.args.out = m->buffers->out;
  subject_open(s, p, g->trace);
  m->wrong = check_data(s, p, m->buffers, g->launch->rank);
  if (m->wrong <= 0) {
    timings_make(m, g->trace);
    why = timings_skew(m, status, sizeof status);
    if (!why) return true;
    if (g->launch->rank == 0)
      print_end(g->out, p, &(ending){ .kind = "failed", .status = why, .chose = s->bound.chose });
    timings_free(&m->t);
    subject_close(s);
    return false;
  }
  snprintf(status, sizeof status, "wrong data: %ld elements", m->wrong);
  if (g->launch->rank == 0)
    print_end(
        g->out, p,
        &(ending){ .kind = "wrong", .status = status, .checked = true, .wrong = m->wrong, .chose = s->bound.chose });
  subject_close(s);
  return false;
}

static void end(const group *g, timed *m) {
  const subject *s = &m->subject;
  const char *id = m->point->id;
  print_times(g->out, m->point, s, &m->t);
  if (g->trace) trace_print(g->out, s->comm, id, s->observer, m->t.bounds, m->t.times);
  if (g->launch->rank == 0)
    print_end(
        g->out, m->point,
        &(ending){ .kind = "ok", .status = "ok", .checked = m->wrong == 0, .chose = s->bound.chose, .timings = &m->t });
  g->launch->discarded += m->t.discarded;
  timings_free(&m->t);
  subject_close(&m->subject);
}

static void measure_here(const group *g) {
  launch *l = g->launch;
  int ranks = g->point->ranks ? g->point->ranks : l->size;
  if (ranks > l->size) {
    char status[SUBJECT_TEXT];
    snprintf(status, sizeof status, "needs %d ranks, the launch has %d", ranks, l->size);
    for (size_t i = 0; i < g->points && l->rank == 0; i++)
      print_end(g->out, &g->point[i], &(ending){ .kind = "unsupported", .status = status });
    return;
  }
  if (launch_first(l, ranks) == MPI_COMM_NULL) return;
  buffers shared = { 0 };
  timed *m = runtime_allocate(sizeof *m * g->points);
  int n = 0;
  for (size_t i = 0; i < g->points; i++) {
    m[n].buffers = &shared;
    n += begin(g, &g->point[i], ranks, &m[n]);
  }
  timings_take(m, n);
  for (int i = 0; i < n; i++) end(g, &m[i]);
  buffers_free(&shared);
  free(m);
}

static void print_lost(const group *g, int signal) {
  char status[SUBJECT_TEXT];
  snprintf(status, sizeof status,
           signal ? "the simulation of this point was ended by signal %d" : "the simulation of this point failed",
           signal);
  for (size_t i = 0; i < g->points && g->launch->rank == 0; i++)
    print_end(g->out, &g->point[i], &(ending){ .kind = "died", .status = status });
}

void measure_points(launch *l, const plan_point *p, size_t points, FILE *out, bool trace) {
  group g = { l, p, points, out, trace };
  int signal;
  switch (port_isolate(l->size, &signal)) {
    case PORT_HERE: measure_here(&g); return;
    case PORT_COPY:
      measure_here(&g);
      port_isolate_end(l->size, out);
      return;
    case PORT_DONE: return;
    case PORT_LOST: print_lost(&g, signal);
  }
}
