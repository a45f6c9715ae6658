/* What this back-end is: real runs, over any MPI-3 library.
 *
 * sim/ is the mirror of this folder, file for file. Here alone is what tells clocks and machines apart: the clocks of hosts differ
 * (driver/clocks.c), a machine is in no file (driver/environment.c, runtime/hardware.c), and its pages are real (runtime/pages.h). */
#include <string.h>

#include "core/catalogue/json.h"
#include "driver/port.h"
#include "validate/driver/environment.h"
#include "validate/driver/start.h"

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
