/* Types and operators that the program freed while its non-blocking calls still use them: MPI frees them when these are over. */
#ifndef COLLSCOPE_PRELOAD_FREED_H
#define COLLSCOPE_PRELOAD_FREED_H

#include <mpi.h>
#include <stdbool.h>

void freed_add(MPI_Datatype, MPI_Op); /* one of them; the other is null */
void freed_sweep(bool (*none_uses)(MPI_Datatype, MPI_Op));

#endif
