/* Buffers of messages: each its own, as the data in them is real. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/runtime/port_memory.h"

enum { LINE = 64 };

bool port_share_buffers(void) { return false; }
bool port_holds_data(void) { return true; }

static size_t whole_pages(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

/* A large buffer shares no page with another, so that it can be mapped anew. */
static bool has_pages(size_t bytes) { return bytes >= (size_t)sysconf(_SC_PAGESIZE); }

void *port_alloc(size_t bytes) {
  void *p = NULL;
  if (has_pages(bytes) ? !posix_memalign(&p, (size_t)sysconf(_SC_PAGESIZE), whole_pages(bytes))
                       : !posix_memalign(&p, LINE, bytes))
    return p;
  fprintf(stderr,
          "collscope: no memory for a buffer of %zu bytes at this rank; give fewer bytes, or fewer ranks a node\n",
          bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

void port_release(void *buffer) { free(buffer); }

/* ---- caches and pages ------------------------------------------------------------------------------- */

bool port_has_caches(void) { return true; }

/* Twice the last level, as caches do not forget the oldest line first. */
static size_t more_than_caches(void) {
  enum { USUAL = 32 << 20 };
  long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (bytes <= 0) bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return 2 * (size_t)(bytes > 0 ? bytes : USUAL);
}

void port_empty_caches(void) {
  static char *other;
  static size_t bytes;
  if (!other) {
    bytes = more_than_caches();
    other = port_alloc(bytes);
    memset(other, 1, bytes); /* pages that nobody has written are all one page of zeroes */
  }
  for (size_t i = 0; i < bytes; i += LINE) (void)*(volatile char *)(other + i);
}

/* Small ones lie between others in pages that an application, too, would find mapped. */
void port_renew(void *buffer, size_t bytes) {
  if (has_pages(bytes)) madvise(buffer, whole_pages(bytes), MADV_DONTNEED);
}
