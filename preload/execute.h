/* A call of MPI by the program, served by an algorithm. */
#ifndef COLLSCOPE_PRELOAD_EXECUTE_H
#define COLLSCOPE_PRELOAD_EXECUTE_H

#include <mpi.h>

#include "preload/communicator.h"

/* A buffer as the program gives it; count is what MPI calls it: elements for each rank, or of the whole vector. */
typedef struct {
  const void *buffer; /* or MPI_IN_PLACE */
  size_t count;
  MPI_Datatype type;
} side;

typedef struct {
  coll_collective collective;
  int root;     /* 0 where the collective has no root */
  side in, out; /* bcast: both are its buffer */
  MPI_Op op;
  const int *
      at; /* of a vector form with blocks of one size: where each lies in out, in elements; NULL: one behind the other */
} program_call;

/* Bytes of the call's count: of a block or of the vector, as the catalogue has it. */
size_t execute_bytes(const communicator *, const program_call *);
/* NULL, or what MPI's own function is to complain about. */
const char *execute_refuses(const communicator *, const program_call *);
/* Runs it on an open communicator; collective. *served: what was chosen; where its `call` is NULL nothing ran, and it says why. Returns
 * MPI's code. */
int execute(communicator *, const program_call *, const char *key, kept **served);

#endif
