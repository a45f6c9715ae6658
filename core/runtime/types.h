/* MPI's handles for a plan's types and operators. Pairs that MPI does not know by itself are made once. */
#ifndef COLLSCOPE_CORE_RUNTIME_TYPES_H
#define COLLSCOPE_CORE_RUNTIME_TYPES_H

#include <mpi.h>

#include "core/plan/plan.h"

typedef struct {
  MPI_Datatype type[PLAN_TYPES];
  MPI_Op op[PLAN_OPS];
} types;
void types_make(types *);
void types_free(types *);

#endif
