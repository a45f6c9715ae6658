#include "driver/measure/timing.h"

#include <stdlib.h>

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"

timings timings_make(int repetitions, bool bounds) {
  size_t n = (size_t)(repetitions > 0 ? repetitions : 1);
  timings t = { .time = runtime_allocate(sizeof *t.time * n) };
  if (bounds) t.bounds = runtime_allocate(sizeof *t.bounds * n);
  return t;
}

void timings_free(timings *t) {
  free(t->time);
  free(t->bounds);
}

/* All ranks leave together; a rank's time runs from the common start to its own end. */
static void time_together(const subject *s, int repetitions, timings *t) {
  double window = port_window(s->comm);
  int lost = 0;
  for (int i = 0; i < repetitions;) {
    bool late;
    if (s->observer) observe_repetition(s->observer, i);
    double start = port_start_together(s->comm, window, &late);
    subject_run(s);
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
static void time_after_barrier(const subject *s, int repetitions, timings *t) {
  for (int i = 0; i < repetitions; i++) {
    MPI_Barrier(s->comm);
    double start = port_now();
    subject_run(s);
    t->time[i] = port_now() - start;
  }
  t->start = "barrier";
}

/* One time for all repetitions in a row. */
static void time_loop(const subject *s, int repetitions, timings *t) {
  bool late;
  double start = port_start_together(s->comm, 0, &late);
  for (int i = 0; i < repetitions; i++) subject_run(s);
  t->time[0] = (port_now() - start) / repetitions;
  t->start = port_start_method(0);
}

void timings_take(timings *t, const subject *s, const plan_point *p) {
  for (int i = 0; i < p->warmup; i++) subject_run(s);
  t->times = p->metric == PLAN_LOOP ? 1 : p->repetitions;
  if (p->metric == PLAN_LOOP) time_loop(s, p->repetitions, t);
  else if (p->metric == PLAN_OSU_AVG) time_after_barrier(s, p->repetitions, t);
  else time_together(s, p->repetitions, t);
}
