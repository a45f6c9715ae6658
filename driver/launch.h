/* The ranks of this launch: where they sit, their groups, and what MPI calls a plan's types. */
#ifndef COLLSCOPE_DRIVER_LAUNCH_H
#define COLLSCOPE_DRIVER_LAUNCH_H

#include <mpi.h>
#include <stdbool.h>

#include "collscope.h"
#include "core/runtime/types.h"

struct played;

/* Each rank has its own (no globals: SMPI runs all ranks in one process). */
typedef struct {
  MPI_Comm world; /* private to collscope's messages */
  int rank, size;
  coll_place *place; /* [size] */
  MPI_Comm *first;   /* [size+1] the first p ranks; MPI_COMM_NULL until asked for, or for others */
  bool *made;        /* [size+1] */
  types types;
  long discarded;        /* repetitions that were done again, of all points so far */
  struct played *played; /* what points of the key COLLECTIVE/schedule take; NULL: no file was given */
} launch;

/* After MPI_Init, by all ranks together; clocks are brought together, too. */
void launch_open(launch *);
void launch_close(launch *);
MPI_Comm launch_first(launch *, int ranks); /* the group of the first ranks; collective over the world */
/* Do all ranks give the same number? Collective over the world, which may be asked before launch_open. */
bool launch_agrees(MPI_Comm world, uint64_t number);

#endif
