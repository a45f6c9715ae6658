/* Where the ranks of a launch sit: found out, or given. */
#ifndef COLLSCOPE_DRIVER_PLACES_H
#define COLLSCOPE_DRIVER_PLACES_H

#include <mpi.h>

#include "collscope.h"

/* What the back-end says of each rank; [size], to be freed. Collective over comm. */
coll_place *places_found(MPI_Comm comm);

/* What --places says: "4x4x4" nodes, sockets, cores ("4x4x2x2": and caches), perhaps with ",cyclic"; or the name of a file with
 * a line "node socket cache" a rank. Returns NULL, or what is wrong. */
const char *places_given(const char *text, int ranks, coll_place *place);

#endif
