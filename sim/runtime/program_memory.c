/* Memory for data in a program that smpirun runs: each rank's own, as the program's. */
#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/port_memory.h"

bool port_holds_data(void) { return true; }

void *port_alloc(size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (p) return p;
  fprintf(stderr, "collscope: no memory for a buffer of %zu bytes\n", bytes);
  abort();
}

void port_release(void *buffer) { free(buffer); }
