#include "driver/places.h"

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"

coll_place *places_found(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  coll_place *place = runtime_allocate(sizeof *place * (size_t)size), here = port_place(comm);
  /* Not MPI_Allgather: SMPI's default sends everything to everybody at once, which takes seconds to simulate. */
  MPI_Gather(&here, sizeof here, MPI_BYTE, place, sizeof here, MPI_BYTE, 0, comm);
  MPI_Bcast(place, size * (int)sizeof here, MPI_BYTE, 0, comm);
  return place;
}
