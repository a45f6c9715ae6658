/* The loop of OSU's benchmarks, as one algorithm that can be recorded: a barrier before each call, and each rank's time from its own
 * way out of the barrier. Who leaves the barrier early is early in the next one, so the calls of a loop are not alike. */
#ifndef COLLSCOPE_PROVE_OSU_LOOP_H
#define COLLSCOPE_PROVE_OSU_LOOP_H

#include "collscope.h"

typedef struct {
  const coll_alg *barrier, *call;
  const long *barrier_param;
  int warmup, repetitions; /* calls of which none is marked, and of which all are */
} osu_loop;

/* The algorithm, with the shape and parameters of loop->call; what it points to must outlive the recording. One loop at a time in a
 * process, as with recordings. */
const coll_alg *osu_loop_alg(const osu_loop *);

#endif
