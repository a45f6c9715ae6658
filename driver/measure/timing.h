/* The repetitions of points, timed as their metric says: of one, or of several in rounds, so that what a machine does meanwhile hits all
 * of them alike. */
#ifndef COLLSCOPE_DRIVER_MEASURE_TIMING_H
#define COLLSCOPE_DRIVER_MEASURE_TIMING_H

#include "driver/check/verify.h"
#include "driver/measure/subject.h"
#include "driver/measure/trace.h"

typedef struct {
  int times;     /* how many there are: one for each repetition, or one for all */
  double *time;  /* [times] of this rank */
  double *work;  /* [times] metric overlap: how long it has computed */
  double pure_s; /* likewise: the call's time without computation, which all ranks compute for; 0: not known yet */
  trace_bounds *bounds; /* [times] NULL: not wanted */
  const char *start;    /* how ranks started together; NULL: not yet */
  double late_s; /* this rank enters so long after the first one; and the last one: from when on a delay is counted */
  double last_s;
  int discarded; /* repetitions that were done again: some rank began too late, or the start changed after them */

  /* Between repetitions. */
  bool done,
      *late; /* [times] this rank began too late; of all ranks once they have been asked, which the first `judged` have been */
  int room, lost, grown, judged;
  int target; /* as many are to be there when it is next asked whether they are enough */
  double window, spent_s;
  double *value; /* rank 0's: of the metric, of the first `valued` repetitions */
  int valued;
} timings;

/* A point that is timed. */
typedef struct {
  const plan_point *point;
  subject subject;
  buffers *buffers; /* those of all points of the group */
  long wrong;       /* elements that the check of its data found; -1: not checked */
  timings t;
} timed;

void timings_make(timed *, bool bounds);
/* Collective: when ranks enter. NULL, or at every rank why they cannot be told, in reason[size]. */
const char *timings_skew(timed *, char *reason, size_t size);
void timings_free(timings *);
/* Collective over the ranks of the points, which are the same: warms all up, then times some repetitions of each in turn. */
void timings_take(timed *, int points);

#endif
