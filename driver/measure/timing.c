#include "driver/measure/timing.h"

#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/runtime/allocate.h"
#include "driver/measure/interval.h"
#include "driver/port.h"

static void make_room(timings *t, int repetitions) {
  if (repetitions <= t->room) return;
  size_t n = (size_t)repetitions;
  t->room = repetitions;
  t->time = runtime_reallocate(t->time, sizeof *t->time * n);
  t->work = runtime_reallocate(t->work, sizeof *t->work * n);
  t->value = runtime_reallocate(t->value, sizeof *t->value * n);
  t->late = runtime_reallocate(t->late, sizeof *t->late * n);
  if (t->bounds) t->bounds = runtime_reallocate(t->bounds, sizeof *t->bounds * n);
}

void timings_make(timed *m, bool bounds) {
  m->t = (timings){ .bounds = bounds ? runtime_allocate(1) : NULL };
  m->t.target = m->point->until_ci > 0 ? 1 : m->point->repetitions;
  make_room(&m->t, m->t.target);
}

const char *timings_skew(timed *m, char *reason, size_t size) {
  const subject *s = &m->subject;
  int rank, fine = 1, n = s->bound.args.size;
  if (m->point->skew.kind == ARRIVAL_NONE) return NULL;
  MPI_Comm_rank(s->comm, &rank);
  double *late_s = runtime_allocate(sizeof *late_s * (size_t)n);
  *reason = '\0';
  if (rank == 0) fine = arrival_times(&m->point->skew, n, late_s, reason, size); /* one reads the file for all */
  MPI_Bcast(&fine, 1, MPI_INT, 0, s->comm);
  MPI_Bcast(late_s, n, MPI_DOUBLE, 0, s->comm);
  m->t.late_s = late_s[rank];
  m->t.last_s = arrival_last(late_s, n);
  free(late_s);
  return fine ? NULL : reason;
}

void timings_free(timings *t) {
  free(t->time);
  free(t->work);
  free(t->value);
  free(t->late);
  free(t->bounds);
}

/* ---- one repetition --------------------------------------------------------------------------------- */

/* Buffers as the point wants them, whoever ran before. */
static void prepare(const timed *m) {
  const subject *s = &m->subject;
  int rank;
  MPI_Comm_rank(s->comm, &rank);
  if (m->point->buffers == PLAN_FRESH) {
    if (port_has_caches()) buffers_renew(m->buffers, s->collective, &s->bound.args, rank, m->point->type, m->point->op);
    subject_renew(s);
  } else if (m->point->buffers == PLAN_COLD) port_empty_caches();
}

/* All ranks leave together, or as late as the point's skew says; a rank's time runs from the common start, which is the first one's, to
 * its own end, and a delay from when the last one enters. */
static void time_together(timed *m) {
  const subject *s = &m->subject;
  timings *t = &m->t;
  prepare(m);
  if (s->observer) observe_repetition(s->observer, t->times);
  double start = port_start_together(s->comm, t->window, &t->late[t->times]), enters = start + t->late_s;
  if (t->late_s > 0) port_wait_until(enters);
  if (m->point->metric == PLAN_OVERLAP)
    t->work[t->times] = nonblocking_run_beside(s->nonblocking, start, t->pure_s, m->point->polls);
  else subject_run(s);
  double end = port_now();
  t->time[t->times] = end - start - (m->point->metric == PLAN_DELAY ? t->last_s : 0);
  if (t->bounds) t->bounds[t->times] = (trace_bounds){ enters, end };
  t->times++;
  t->start = port_start_method(t->window);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Collective: the median over the point's repetitions of the last rank's time, without computation. */
static double time_pure(const timed *m) {
  const subject *s = &m->subject;
  int n = m->point->repetitions;
  double *last = runtime_allocate(sizeof *last * (size_t)n);
  for (int i = 0; i < n; i++) {
    bool late;
    double start = port_start_together(s->comm, 0, &late);
    subject_run(s);
    last[i] = port_largest(s->comm, port_now() - start);
  }
  qsort(last, (size_t)n, sizeof *last, ascending);
  double median = (last[(n - 1) / 2] + last[n / 2]) / 2;
  free(last);
  return median;
}

/* Collective: leaves out the repetitions for which any rank came too late. All that were taken since the last time are judged at once, as
 * asking takes as long as a short call. */
static void leave_out_late(const subject *s, timings *t) {
  if (t->window <= 0) return;
  int kept = t->judged;
  MPI_Allreduce(MPI_IN_PLACE, t->late + kept, t->times - kept, MPI_C_BOOL, MPI_LOR, s->comm);
  for (int i = kept; i < t->times; i++)
    if (!t->late[i]) {
      t->work[kept] = t->work[i];
      t->time[kept++] = t->time[i];
    }
  t->lost += t->times - kept;
  t->discarded += t->times - kept;
  t->times = t->judged = kept;
  /* Ranks that share cores may never all be there in time; a barrier is the best there is then, and the output says so. */
  if (t->lost / 4 <= t->grown) return;
  t->window = ++t->grown < 5 ? 2 * t->window : 0;
  /* All repetitions of a point start the same way, the way that the output says. */
  if (t->window <= 0) {
    t->discarded += t->times;
    t->times = t->judged = t->valued = 0;
  }
}

/* What OSU's benchmarks do: a barrier, then each rank takes its own time. */
static void time_after_barrier(timed *m) {
  timings *t = &m->t;
  prepare(m);
  subject_barrier(&m->subject);
  double start = port_now();
  subject_run(&m->subject);
  t->time[t->times++] = port_now() - start;
  t->start = "barrier";
}

/* One time for all repetitions in a row. */
static void time_loop(timed *m) {
  bool late;
  int repetitions = m->point->repetitions;
  prepare(m);
  double start = port_start_together(m->subject.comm, 0, &late);
  for (int i = 0; i < repetitions; i++) subject_run(&m->subject);
  m->t.time[m->t.times++] = (port_now() - start) / repetitions;
  m->t.start = port_start_method(0);
  m->t.done = true;
}

/* ---- enough? ---------------------------------------------------------------------------------------- */

/* Collective: brings the repetitions' values of the metric to rank 0. */
static void gather_values(const subject *s, plan_metric metric, timings *t) {
  int rank, root = metric == PLAN_ROOT && coll_has_root(s->collective) ? s->bound.args.root : 0;
  MPI_Comm_rank(s->comm, &rank);
  /* Ranks that are done early must not send their times while others are still at work. */
  bool late;
  port_start_together(s->comm, 0, &late);
  for (int i = t->valued; i < t->times; i++) {
    double mine = metric == PLAN_ROOT && rank != root ? 0 : t->time[i];
    MPI_Reduce(&mine, &t->value[i], 1, MPI_DOUBLE, metric == PLAN_OSU_AVG || metric == PLAN_ROOT ? MPI_SUM : MPI_MAX, 0,
               s->comm);
  }
  t->valued = t->times;
}

/* Rank 0: whether the budget is spent, or, once the plan's repetitions are there, the interval is narrow enough. A mean over ranks need
 * not be divided by their number: it is compared with itself. */
static bool enough(const plan_point *p, const timings *t) {
  if (t->spent_s >= p->budget_s || t->times >= PLAN_MAX_REPETITIONS) return true;
  if (t->times < p->repetitions) return false;
  double *sorted = runtime_allocate(sizeof *sorted * (size_t)t->times);
  memcpy(sorted, t->value, sizeof *sorted * (size_t)t->times);
  double width = interval_width(sorted, t->times);
  free(sorted);
  return width <= p->until_ci;
}

/* Collective, outside of what is timed: rank 0 decides for all. It is asked when repetitions have doubled, later when they are a quarter
 * more, so that asking costs little and a budget is overdrawn by little. */
static bool decide(timed *m) {
  const plan_point *p = m->point;
  timings *t = &m->t;
  if (!(p->until_ci > 0)) return true;
  gather_values(&m->subject, p->metric, t);
  int rank, done = 0;
  MPI_Comm_rank(m->subject.comm, &rank);
  if (rank == 0) done = enough(p, t);
  MPI_Bcast(&done, 1, MPI_INT, 0, m->subject.comm);
  t->target += t->times >= p->repetitions      ? (t->times + 3) / 4
               : 2 * t->times > p->repetitions ? p->repetitions - t->times
                                               : t->times;
  make_room(t, t->target);
  return done;
}

/* ---- rounds ----------------------------------------------------------------------------------------- */

/* Repetitions of a point that follow each other. The first finds in caches what another algorithm has left there, which may take it half
 * again as long; the median is of those that find what their own algorithm leaves. */
enum { TURN = 5 };

static void time_once(timed *m) {
  timings *t = &m->t;
  double began = port_now();
  if (m->point->metric == PLAN_LOOP) time_loop(m);
  else if (m->point->metric == PLAN_OSU_AVG) time_after_barrier(m);
  else {
    time_together(m);
    /* An observer keeps repetitions in their order: there each is judged before the next one. */
    if (t->times >= t->target || m->subject.observer) leave_out_late(&m->subject, t);
  }
  t->spent_s += port_now() - began;
  if (!t->done && t->times >= t->target) t->done = decide(m);
}

static void warm_up(const timed *m) {
  const subject *s = &m->subject;
  bool late;
  if (s->barrier) port_start_together(s->comm, 0, &late);
  /* A loop begins with nothing, as its model does, and nothing is left of a call whose buffers are fresh. */
  int calls = s->barrier || m->point->buffers == PLAN_FRESH ? 0 : port_min_warmup();
  if (calls < m->point->warmup) calls = m->point->warmup;
  for (int k = 0; k < calls; k++) {
    if (s->barrier)
      subject_barrier(s); /* what a call leaves behind, ranks apart from each other, is part of the loop */
    subject_run(s);
  }
}

void timings_take(timed *m, int points) {
  for (int i = 0; i < points; i++) {
    warm_up(&m[i]);
    if (m[i].point->metric == PLAN_OVERLAP) m[i].t.pure_s = time_pure(&m[i]);
  }
  for (int i = 0; i < points; i++)
    if (m[i].point->metric != PLAN_LOOP && m[i].point->metric != PLAN_OSU_AVG)
      m[i].t.window = port_window(m[i].subject.comm);
  for (bool left = true; left;) {
    left = false;
    for (int i = 0; i < points; i++) {
      for (int k = 0; k < TURN && !m[i].t.done; k++) time_once(&m[i]);
      left |= !m[i].t.done;
    }
  }
}
