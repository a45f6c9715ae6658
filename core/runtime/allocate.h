/* Memory that is there, or the end of the launch: no rank can go on alone. Data of messages comes from port_alloc instead. */
#ifndef COLLSCOPE_CORE_RUNTIME_ALLOCATE_H
#define COLLSCOPE_CORE_RUNTIME_ALLOCATE_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/give_up.h"

/* As realloc, but never NULL, for 0 bytes neither. */
static inline void *runtime_reallocate(void *old, size_t bytes) {
  void *p = realloc(old, bytes ? bytes : 1);
  if (!p) {
    fprintf(stderr, "collscope: out of memory (%zu bytes)\n", bytes);
    runtime_give_up(MPI_COMM_WORLD);
  }
  return p;
}

static inline void *runtime_allocate(size_t bytes) { return runtime_reallocate(NULL, bytes); }

static inline void *runtime_allocate_zeroed(size_t bytes) { return memset(runtime_allocate(bytes), 0, bytes); }

#endif
