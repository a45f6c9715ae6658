/* What an observer has noted, brought together at rank 0 and printed as JSON lines: one for each repetition and rank.
 *   {"id":"7","trace":0,"rank":3,"start_s":0,"end_s":2e-5,"clock_error_s":0,"events":[["send",4,0,1024,1e-6,9e-6,9e-6], …]}
 * An event is [operation, peer, label, bytes, begin, end, done]: see core/runtime/observe.h. All times of a repetition are from one
 * instant, when its first rank began, on the clock of rank 0; clock_error_s: by how much this rank's times may be off it. */
#ifndef COLLSCOPE_DRIVER_MEASURE_TRACE_H
#define COLLSCOPE_DRIVER_MEASURE_TRACE_H

#include <mpi.h>
#include <stdio.h>

#include "core/runtime/observe.h"

typedef struct {
  double start, end;
} trace_bounds; /* of a repetition at this rank, on its own clock */

/* Collective over comm; bounds: [repetitions]. */
void trace_print(FILE *out, MPI_Comm comm, const char *id, const coll_observer *, const trace_bounds *,
                 int repetitions);

#endif
