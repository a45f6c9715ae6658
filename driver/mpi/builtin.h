/* MPI's own function, planned: what MPI wants to be told another way is worked out before it is timed. */
#ifndef COLLSCOPE_DRIVER_MPI_BUILTIN_H
#define COLLSCOPE_DRIVER_MPI_BUILTIN_H

#include <mpi.h>

#include "collscope.h"

typedef struct {
  MPI_Comm comm;
  coll_collective collective;
  int n, root;
  MPI_Datatype type;
  MPI_Op op;
  const void *in; /* or MPI_IN_PLACE, as out for scatter */
  void *out;
  int *counts, *displs;    /* [size] where each rank has its own count; of alltoallv what comes, and */
  int *sent, *sent_displs; /* [size] what goes */
} builtin;
bool builtin_open(builtin *, MPI_Comm, coll_collective, const coll_args *, MPI_Datatype,
                  MPI_Op);                         /* false: MPI has none */
int builtin_run(const builtin *);                  /* what MPI returned */
int builtin_start(const builtin *, MPI_Request *); /* its non-blocking form */
void builtin_close(builtin *);

#endif
