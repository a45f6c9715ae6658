/* A call of MPI by the program, as it gives it. */
#ifndef COLLSCOPE_PRELOAD_CALL_H
#define COLLSCOPE_PRELOAD_CALL_H

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
  /* Of a vector form with blocks of one size: where each lies in out, in elements; both NULL: one behind the other. */
  const int *at;
  const MPI_Aint *far_at;
  const char *why; /* no algorithm can serve it; NULL: one may */
  size_t bytes;    /* then: that this rank brings */
} program_call;

bool call_in_place(const side *);
/* Do both sides share a buffer at this rank, as the algorithm sees it? */
bool call_is_in_place(const communicator *, const program_call *);
/* Does this rank bring data; does it end with some? */
bool call_has_input(const communicator *, const program_call *);
bool call_has_output(const communicator *, const program_call *);
/* Bytes of the call's count: of a block or of the vector, as the catalogue has it. */
size_t call_bytes(const communicator *, const program_call *);
/* NULL, or what MPI's own function is to complain about. */
const char *call_refuses(const communicator *, const program_call *);

#endif
