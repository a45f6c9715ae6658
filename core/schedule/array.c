#include "core/schedule/array.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

volatile bool array_growing;

enum { LARGE = 1 << 22, PAGE = 1 << 21 };

/* Of large arrays that are read here and there, most of the time goes into finding pages: larger ones are fewer. A page is large only
 * if that is asked for before it is written, so the array goes to a place of its own first. */
static void *grow_large(void *old, size_t bytes) {
  void *p = NULL;
  size_t had = old ? malloc_usable_size(old) : 0;
  if (bytes <= had) return old;
  if (posix_memalign(&p, PAGE, bytes)) return NULL;
  madvise(p, bytes & ~(size_t)(PAGE - 1), MADV_HUGEPAGE);
  if (had) memcpy(p, old, had);
  free(old);
  return p;
}

void *array_grow(void *old, size_t bytes) {
  array_growing = true;
  void *p = bytes >= LARGE ? grow_large(old, bytes) : realloc(old, bytes ? bytes : 1);
  array_growing = false;
  if (!p) {
    fprintf(stderr, "collscope: out of memory (%zu bytes)\n", bytes);
    abort();
  }
  return p;
}
