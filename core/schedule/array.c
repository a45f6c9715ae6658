#include "core/schedule/array.h"

#include <stdio.h>
#include <stdlib.h>

volatile bool array_growing;

void *array_grow(void *old, size_t bytes) {
  array_growing = true;
  void *p = realloc(old, bytes ? bytes : 1);
  array_growing = false;
  if (!p) {
    fprintf(stderr, "collscope: out of memory (%zu bytes)\n", bytes);
    abort();
  }
  return p;
}
