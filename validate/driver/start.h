/* What is known of the clocks: members of the driver's first and last lines. */
#ifndef COLLSCOPE_VALIDATE_DRIVER_START_H
#define COLLSCOPE_VALIDATE_DRIVER_START_H

#include <mpi.h>

#include "core/catalogue/json.h"

void start_describe(json *);                        /* how clocks were brought together, at rank 0 */
double start_offset_now(MPI_Comm, double *error_s); /* collective: how far they are apart by now, at rank 0 */

#endif
