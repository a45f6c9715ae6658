/* Points of a plan: data checked first if asked, then timed.
 *
 * Rank 0 prints JSON lines: one for each repetition, what --trace adds (driver/measure/trace.h), and one that ends the point:
 *   {"id":"7","rep":0,"min_s":…,"mean_s":…,"max_s":…,"root_s":…}       over the ranks; the root's own (rank 0's, without a root)
 *   and of metric overlap "pure_s", the call's time without computation; "work_s", what the rank has computed that leaves last; "available",
 *   what all ranks have computed, as a part of the time of their cores
 *   {"id":"7","done":true,"kind":"ok","status":"ok","checked":true,"wrong":0,"chose":KEY,"start":"window","discarded":0}
 * kind says how the point ended, status says it in words:
 *   ok            it was timed
 *   unsupported   it cannot run; status is the reason
 *   wrong         `wrong` elements of its data are wrong, and it was not timed
 *   died          the copy of the simulation that ran it broke; what it said is on standard error
 * chose: what a decision picked. start, discarded: only of what was timed (driver/measure/timing.h). */
#ifndef COLLSCOPE_DRIVER_MEASURE_MEASURE_H
#define COLLSCOPE_DRIVER_MEASURE_MEASURE_H

#include <stdio.h>

#include "core/plan/plan.h"
#include "driver/launch.h"

/* Collective over the launch. points: one, or those of a group, which are timed in rounds. out: where rank 0 prints; trace: every
 * operation of every rank is noted and printed, too. */
void measure_points(launch *, const plan_point *, size_t points, FILE *out, bool trace);

#endif
