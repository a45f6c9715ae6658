/* The back-end of real runs: any MPI-3 library. What this one is.
 *
 * sim/ is the mirror of this folder: host.c, start.c, buffers.c and segments.c are in both. A real run is no process that could be
 * copied, so isolation is two lines here (sim/isolation.c); and its library moves the data, so nothing stands for sim/copies.cpp. */
#include <string.h>

#include "core/catalogue/json.h"
#include "core/runtime/port.h"

void port_describe(json *j) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = 0;
  json_text(j, "back_end", "mpi");
  json_text(j, "library", version);
}

size_t port_large_message(void) { return SIZE_MAX; }

port_where port_isolate(int ranks, int *signal) { return (void)ranks, *signal = 0, PORT_HERE; }
void port_isolate_end(int ranks, FILE *out) { (void)ranks, (void)out; }

/* MPI's own limits are right. */
size_t port_synchronous(bool nonblocking) { return (void)nonblocking, SIZE_MAX; }
