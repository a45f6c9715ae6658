/* Schedules that have been proven, so that one that comes again is not proven, or timed, again: a parameter that changes nothing, another place of
 * ranks that all the same does the same. Equal are those with equal hashes (core/schedule/hash.h). */
#ifndef COLLSCOPE_PROVE_PROVEN_H
#define COLLSCOPE_PROVE_PROVEN_H

#include "core/schedule/schedule.h"

enum { PROVEN_COSTS = 6 };

typedef struct {
  uint64_t hash[2]; /* 0, 0: a free place */
  bool proven;      /* else it has been looked for, and all below means nothing */
  uint64_t messages, bytes, reduced_bytes, copied_bytes, operations;
  bool timed;
  double critical_s[PROVEN_COSTS];
} proven_schedule;

/* Zero-initialise before the first use. */
typedef struct {
  proven_schedule *slot; /* [slots] a hash table, a power of two */
  size_t slots, used;
} proven_schedules;

/* The place of this schedule, which stays where it is until another one is looked for. */
proven_schedule *proven_find(proven_schedules *, const uint64_t hash[2]);
void proven_forget(proven_schedules *);
void proven_free(proven_schedules *);

#endif
