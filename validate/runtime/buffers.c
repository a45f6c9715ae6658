/* Buffers of messages: each its own, as the data in them is real. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/runtime/port_memory.h"
#include "validate/runtime/pages.h"

bool port_share_buffers(void) { return false; }
bool port_holds_data(void) { return true; }

void *port_alloc(size_t bytes) {
  void *p = NULL;
  if (has_pages(bytes) ? !posix_memalign(&p, (size_t)sysconf(_SC_PAGESIZE), whole_pages(bytes))
                       : !posix_memalign(&p, CACHE_LINE, bytes))
    return p;
  fprintf(stderr,
          "collscope: no memory for a buffer of %zu bytes at this rank; give fewer bytes, or fewer ranks per node\n",
          bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

void port_release(void *buffer) { free(buffer); }
