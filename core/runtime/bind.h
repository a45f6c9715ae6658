/* From a key and a call of MPI to the algorithm that serves it, and what the algorithm is given. */
#ifndef COLLSCOPE_CORE_RUNTIME_BIND_H
#define COLLSCOPE_CORE_RUNTIME_BIND_H

#include <mpi.h>

#include "collscope.h"

enum { BIND_TEXT = 320 };

/* What the caller of MPI says. */
typedef struct {
  coll_collective collective;
  int ranks, root;
  size_t count; /* of what the collective counts: see coll_facts */
  MPI_Datatype type;
  MPI_Op op; /* MPI_OP_NULL: none */
  bool in_place;
  const coll_place *place; /* [ranks] */
} mpi_call;

/* param and what args point to are in it: it must not be copied. */
typedef struct {
  coll_args args; /* buffers are the caller's to set */
  const coll_alg *alg;
  MPI_Datatype type;
  MPI_Op op;
  long param[COLL_PARAMS];
  char chose[BIND_TEXT]; /* the full key of what a decision picked; "": the key names an algorithm */
} binding;

/* Both return NULL, or why it cannot be, in reason[size].
 * The call's shape, without an algorithm: its elements must lie in one piece, and its root must be one of the ranks. */
const char *bind_shape(binding *, const mpi_call *, char *reason, size_t size);
/* Then the algorithm that the key names for this call, itself or by decision. */
const char *bind_key(binding *, const char *key, coll_collective, char *reason, size_t size);

#endif
