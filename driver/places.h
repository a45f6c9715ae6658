/* Where the ranks of a launch sit, when nobody says it. */
#ifndef COLLSCOPE_DRIVER_PLACES_H
#define COLLSCOPE_DRIVER_PLACES_H

#include <mpi.h>

#include "collscope.h"

/* What the back-end says of each rank; [size], to be freed. Collective over comm. */
coll_place *places_found(MPI_Comm comm);

#endif
