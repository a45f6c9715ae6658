/* Buffers that are in no cache, or on pages that the system has yet to map. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "core/runtime/port_memory.h"
#include "driver/port_caches.h"
#include "validate/runtime/pages.h"

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
  for (size_t i = 0; i < bytes; i += CACHE_LINE) (void)*(volatile char *)(other + i);
}

/* Small ones lie between others in pages that an application, too, would find mapped. */
void port_renew(void *buffer, size_t bytes) {
  if (has_pages(bytes)) madvise(buffer, whole_pages(bytes), MADV_DONTNEED);
}
