/* Points of a group of which only the fastest counts (within= of core/plan/plan.h): in which order they are timed, and which times are of no
 * interest any more. */
#ifndef COLLSCOPE_PROVE_RACE_H
#define COLLSCOPE_PROVE_RACE_H

#include "core/plan/plan.h"
#include "model/machine.h"
#include "model/timing.h"

typedef struct {
  size_t next; /* point of the plan */
  int group;
  double best_s;         /* of the group so far; INFINITY: none has a time */
  char winner[PLAN_KEY]; /* of the group before, then of this one */
  double *guess_s;       /* of the points of a group */
  size_t guess_cap;
  size_t *later; /* those that need many steps: they come when the others have a time */
  size_t later_n, later_done, later_cap;
  bool is_last_try;
} race;

/* The next point of the plan to be timed; NULL: none is left. In a group comes first who won the group before, then who is fast by its formula.
 * place: of each rank. */
const plan_point *race_next(race *, plan *, const machine *, const coll_place *(*place)(void *user, int ranks),
                            void *user);
/* What of the point's timing is of interest; more: than a time is to be told. */
void race_limits(race *, const plan_point *, bool more, timing_result *);
/* The point takes so long. */
void race_timed(race *, const plan_point *, double time_s);
/* It needs many steps, and comes again. */
void race_postpone(race *, const plan *, const plan_point *);
void race_free(race *);

#endif
