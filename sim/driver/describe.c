/* What this back-end is: simulation by SMPI. All ranks live in one process here, so the static data of these files is shared by them: that is
 * how segments and the common start are made. Simulated time passes only in MPI calls and in what is charged.
 *
 * validate/ is the mirror of this folder, file for file. Here alone is what only a simulation can do: being kept from moving data
 * (runtime/copies.cpp); and what its platform's file says (runtime/platform.c). */
#include "driver/port.h"

#include <simgrid/version.h>

void port_describe(json *j) {
  int major, minor, patch;
  char library[64];
  sg_version_get(&major, &minor, &patch);
  snprintf(library, sizeof library, "SimGrid %d.%d.%d", major, minor, patch);
  json_text(j, "back_end", "smpi");
  json_text(j, "library", library);
}

void port_describe_launch(MPI_Comm comm, json *j) { (void)comm, (void)j; }
void port_conclude(MPI_Comm comm, long discarded, FILE *out) { (void)comm, (void)discarded, (void)out; }
