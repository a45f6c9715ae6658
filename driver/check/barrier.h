/* The check of a barrier, which has no data to look at. */
#ifndef COLLSCOPE_DRIVER_CHECK_BARRIER_H
#define COLLSCOPE_DRIVER_CHECK_BARRIER_H

#include <stddef.h>

#include "core/runtime/mpi.h"

/* How often this rank left a barrier before all had come, while each rank in turn came late. Collective. Says on standard error
 * what is wrong first, when `what` is not NULL. */
size_t barrier_check(MPI_Comm, coll_call *, const char *what);

#endif
