/* The back-end of real runs: any MPI-3 library. What this one is.
 *
 * sim/ is the mirror of this folder: host.c, start.c, buffers.c and segments.c are in both. A real run is no process that could be
 * copied, so isolation is two lines here (sim/isolation.c); and its library moves the data, so nothing stands for sim/copies.cpp.
 * Its clocks differ and its machine is not in a file: hence clocks.c and environment.c, which are here alone. */
#include <string.h>

#include "core/catalogue/json.h"
#include "core/runtime/port.h"
#include "validate/environment.h"
#include "validate/start.h"

void port_describe(json *j) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = 0;
  json_text(j, "back_end", "mpi");
  json_text(j, "library", version);
}

void port_describe_launch(MPI_Comm comm, json *j) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  environment_describe(comm, j);
  if (rank == 0) start_describe(j);
}

void port_conclude(MPI_Comm comm, long discarded, FILE *out) {
  int rank;
  double error, offset = start_offset_now(comm, &error);
  MPI_Comm_rank(comm, &rank);
  if (rank) return;
  json j = json_on(out);
  json_object(&j, NULL);
  json_object(&j, "end");
  json_real(&j, "clock_offset_s", offset);
  json_real(&j, "clock_offset_error_s", error);
  json_int(&j, "discarded", discarded);
  environment_load(&j);
  json_end(&j);
  json_end(&j);
}

size_t port_large_message(void) { return SIZE_MAX; }

port_where port_isolate(int ranks, int *signal) { return (void)ranks, *signal = 0, PORT_HERE; }
void port_isolate_end(int ranks, FILE *out) { (void)ranks, (void)out; }

/* MPI's own limits are right. */
size_t port_synchronous(bool nonblocking) { return (void)nonblocking, SIZE_MAX; }
