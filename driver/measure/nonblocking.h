/* A call that is started and waited for, with computation between: metrics nonblocking and overlap. Either an algorithm's plan, played by
 * core/nonblocking, or the library's own function (MPI_Ibcast …). */
#ifndef COLLSCOPE_DRIVER_MEASURE_NONBLOCKING_H
#define COLLSCOPE_DRIVER_MEASURE_NONBLOCKING_H

#include "core/plan/plan.h"
#include "core/runtime/bind.h"
#include "driver/mpi/builtin.h"

typedef struct nonblocking nonblocking;

/* NULL: the point's call can go on while its ranks compute, here and advanced so; else why not. */
const char *nonblocking_unsupported(const plan_point *, const coll_alg *);
/* builtin: used where the binding has no algorithm. */
nonblocking *nonblocking_open(MPI_Comm, const plan_point *, const binding *, const builtin *);
void nonblocking_close(nonblocking *);

/* Once, waited for at once. */
void nonblocking_run(nonblocking *);
/* Once, with computation: for work_s, then waits; or, where polls, for its PLAN_POLL_PART and asks, until it is through. Returns how long
 * this rank has computed. begin_s: when it entered. */
double nonblocking_run_beside(nonblocking *, double begin_s, double work_s, bool polls);

#endif
