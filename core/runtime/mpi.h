/* Running an algorithm over MPI: simulated or real, by the compiler that builds this file. */
#ifndef COLLSCOPE_CORE_RUNTIME_MPI_H
#define COLLSCOPE_CORE_RUNTIME_MPI_H

#include <mpi.h>

#include "collscope.h"
#include "core/runtime/observe.h"

/* One call of an algorithm, planned: groups made, segments open. */
typedef struct coll_call coll_call;

/* Collective over comm, which should be private to collscope's messages, and where the algorithm receives from any source (COLL_ANY_SOURCE) to
 * those of this call: it would take what a fast rank sends in another. args: as collscope.h says; param and place must
 * outlive the call. type is the contiguous type of args->elem bytes, op its operator (MPI_OP_NULL without one). */
coll_call *coll_open(MPI_Comm comm, const coll_alg *alg, const coll_args *args, MPI_Datatype type, MPI_Op op);
/* The same, each operation noted by an observer that outlives the call; NULL: by none. */
coll_call *coll_open_observed(MPI_Comm comm, const coll_alg *alg, const coll_args *args, MPI_Datatype type, MPI_Op op,
                              coll_observer *);
/* The next run finds `out` newly mapped, but for what of it is the call's input: where the back-end charges for a byte's first writing. */
void coll_renew(coll_call *);
/* The next runs are of these buffers, with this type and operator: elements of as many bytes, an operator that commutes if the one before did. */
void coll_serve(coll_call *, const void *in, void *out, bool in_place, MPI_Datatype type, MPI_Op op);
void coll_run(coll_call *);   /* may be called again and again */
void coll_close(coll_call *); /* collective when the algorithm uses segments */

#endif
