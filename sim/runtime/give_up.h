/* The end of a simulation whose system fails it. */
#ifndef COLLSCOPE_SIM_RUNTIME_GIVE_UP_H
#define COLLSCOPE_SIM_RUNTIME_GIVE_UP_H

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static inline void sim_give_up(const char *what) {
  fprintf(stderr, "collscope: %s: %s\n", what, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

#endif
