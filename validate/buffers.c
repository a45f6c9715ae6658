/* Buffers of messages: each its own, as the data in them is real. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/port_memory.h"

bool port_share_buffers(void) { return false; }
bool port_holds_data(void) { return true; }

void *port_alloc(size_t bytes) {
  void *p = NULL;
  if (!posix_memalign(&p, 64, bytes)) return p;
  fprintf(stderr,
          "collscope: no memory for a buffer of %zu bytes at this rank; give fewer bytes, or fewer ranks a node\n",
          bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

void port_release(void *buffer) { free(buffer); }
