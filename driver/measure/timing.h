/* The repetitions of a point, timed as its metric says. */
#ifndef COLLSCOPE_DRIVER_MEASURE_TIMING_H
#define COLLSCOPE_DRIVER_MEASURE_TIMING_H

#include "driver/measure/subject.h"
#include "driver/measure/trace.h"

typedef struct {
  int times;            /* how many there are: one for each repetition, or one for all */
  double *time;         /* [repetitions] of this rank */
  trace_bounds *bounds; /* [repetitions] NULL: not wanted */
  const char *start;    /* how ranks started together; NULL: not yet */
  int discarded; /* repetitions that were done again: some rank began too late, or the start changed after them */
} timings;

timings timings_make(int repetitions, bool bounds);
void timings_free(timings *);
/* Collective over the subject's ranks: warms up, then times. */
void timings_take(timings *, const subject *, const plan_point *);

#endif
