/* The loop of OSU's benchmarks, as one algorithm that can be recorded: a barrier before each call, and each rank's time from its own
 * way out of the barrier. Who leaves the barrier early is early in the next one, so the calls of a loop are not alike. */
#ifndef COLLSCOPE_PROVE_OSU_LOOP_H
#define COLLSCOPE_PROVE_OSU_LOOP_H

#include "core/plan/plan.h"

/* The algorithm, with the shape and parameters of the point's own, for a point whose metric names the barrier; param: memory for the
 * barrier's parameters, which must outlive the recording. NULL: it cannot be, for the reason in reason[size]. One loop at a time in a
 * process, as with recordings. */
const coll_alg *osu_loop_alg(const plan_point *, const coll_alg *, const coll_args *, long *param, char *reason,
                             size_t size);

#endif
