#include "core/schedule/array.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

volatile bool array_growing;

/* Of large arrays that are read here and there, most of the time goes into finding pages: larger ones are fewer. */
static void large_pages(void *p, size_t bytes) {
  static const uintptr_t page = (uintptr_t)1 << 21;
  uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1), to = ((uintptr_t)p + bytes) & ~(page - 1);
  if (to > from) madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void *array_grow(void *old, size_t bytes) {
  array_growing = true;
  void *p = realloc(old, bytes ? bytes : 1);
  array_growing = false;
  if (!p) {
    fprintf(stderr, "collscope: out of memory (%zu bytes)\n", bytes);
    abort();
  }
  if (bytes >= (size_t)1 << 23) large_pages(p, bytes);
  return p;
}
