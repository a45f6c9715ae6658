/* Work on this rank's own memory: done in a real run, charged for in simulation. */
#ifndef COLLSCOPE_CORE_RUNTIME_LOCAL_H
#define COLLSCOPE_CORE_RUNTIME_LOCAL_H

#include <string.h>

#include "core/runtime/port.h"
#include "core/runtime/requests.h"

/* right = left op right, n elements of the type of r. */
static inline void local_reduce(const requests *r, MPI_Op op, const void *left, void *right, size_t n) {
  port_charge_reduce(n * r->elem);
  if (!port_holds_data()) return;
  for (size_t at = 0; at < n; at += (size_t)requests_part(r, n - at))
    MPI_Reduce_local((const char *)left + at * r->elem, (char *)right + at * r->elem, requests_part(r, n - at), r->type,
                     op);
}

static inline void local_copy(void *dst, const void *src, size_t bytes) {
  port_charge_copy(bytes);
  if (port_holds_data()) memcpy(dst, src, bytes);
}

#endif
