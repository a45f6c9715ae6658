/* Buffers of messages, which may share their pages. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/runtime/port_memory.h"
#include "sim/runtime/copies.h"
#include "sim/runtime/give_up.h"

/* Shared buffers have addresses of their own, in one reserved range, but share the pages of one file, so that hundreds of
 * GiB fit. SMPI has such a malloc too; it touches every page, which takes longer than the simulation. */
static char *range, *next; /* NULL: buffers are not shared */
static int file;
static const size_t reserved = (size_t)32 << 40, pages = (size_t)64 << 20, page = 4096;

static bool is_shared(const void *buffer) {
  return range && (const char *)buffer >= range && (const char *)buffer < range + reserved;
}

bool port_share_buffers(void) {
  if (range) return true;
  void *start = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  file = memfd_create("collscope", 0);
  if (start == MAP_FAILED || file < 0 || ftruncate(file, (off_t)pages)) sim_give_up("shared buffers");
  range = next = start;
  sim_copy_unless(is_shared);
  return true;
}

bool port_holds_data(void) { return !range; }

static void *alloc_shared(size_t bytes) {
  bytes = (bytes + page - 1) / page * page;
  char *start = next;
  if (bytes > (size_t)(range + reserved - start)) return errno = ENOMEM, NULL;
  for (size_t at = 0; at < bytes; at += pages) {
    size_t n = bytes - at < pages ? bytes - at : pages;
    if (mmap(start + at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) return NULL;
  }
  next += bytes;
  return start;
}

void *port_alloc(size_t bytes) {
  void *p = range ? alloc_shared(bytes ? bytes : 1) : malloc(bytes ? bytes : 1);
  if (!p) {
    fprintf(stderr,
            "collscope: no room for a buffer of %zu bytes: all ranks of a simulation share %s; give fewer bytes\n",
            bytes, range ? "32 TiB of addresses" : "this machine's memory");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return p;
}

/* Shared addresses are not used again: there are enough, and the copy of the simulation that took them ends soon. */
void port_release(void *buffer) {
  if (!is_shared(buffer)) free(buffer);
}
