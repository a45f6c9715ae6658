/* What else a measurement depends on: members of the driver's first and last lines. */
#ifndef COLLSCOPE_VALIDATE_DRIVER_ENVIRONMENT_H
#define COLLSCOPE_VALIDATE_DRIVER_ENVIRONMENT_H

#include <mpi.h>

#include "core/catalogue/json.h"

void environment_describe(MPI_Comm, json *); /* collective; rank 0 prints: hosts, environment */
void environment_load(json *);               /* the system's load averages, now */

#endif
