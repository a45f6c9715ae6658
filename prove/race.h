/* Points of a group of which only the fastest counts (within= of core/plan/plan.h): in which order they are timed, and which times are of no
 * interest any more. */
#ifndef COLLSCOPE_PROVE_RACE_H
#define COLLSCOPE_PROVE_RACE_H

#include "core/plan/plan.h"
#include "model/machine.h"

typedef struct {
  int group;
  double best_s;         /* of the group so far; INFINITY: none has a time */
  char winner[PLAN_KEY]; /* of the group before, then of this one */
  double *guess_s;       /* of the points of a group */
  size_t guess_cap;
} race;

/* Where a group of the plan begins: puts its points in order. First comes who won the group before, then who is fast by its formula.
 * place: of each rank. */
void race_order(race *, plan *, size_t first, const machine *, const coll_place *place);
/* From where on the point's time is of no interest; 0: every time is. */
double race_stop(race *, const plan_point *);
/* The point takes so long. */
void race_timed(race *, const plan_point *, double time_s);
void race_free(race *);

#endif
