/* The end of a launch that cannot go on. MPICH's launcher drops what it has not passed on yet when a rank aborts: of the messages that were
 * printed just before, every fifth was lost. */
#ifndef COLLSCOPE_CORE_RUNTIME_GIVE_UP_H
#define COLLSCOPE_CORE_RUNTIME_GIVE_UP_H

#include <mpi.h>
#include <unistd.h>

enum { GIVE_UP_US = 100000 };

/* Call it after the reason was printed on standard error. */
static inline void runtime_give_up(MPI_Comm comm) {
  usleep(GIVE_UP_US);
  MPI_Abort(comm, 1);
}

#endif
