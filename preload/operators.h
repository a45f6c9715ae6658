/* What may be combined with what, and operators on elements that were brought into one piece. */
#ifndef COLLSCOPE_PRELOAD_OPERATORS_H
#define COLLSCOPE_PRELOAD_OPERATORS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

void operators_start(void);
void operators_end(void);

bool operators_is_predefined(MPI_Op);
/* Does MPI combine elements of this type by this operator? Else its own function says what is wrong. */
bool operators_fit(MPI_Op, MPI_Datatype);

/* The operator on packed elements of `type`. *elements: their type, which is to be freed. */
MPI_Op operators_packed(MPI_Op, MPI_Datatype type, MPI_Datatype *elements);

#endif
