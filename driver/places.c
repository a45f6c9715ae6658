#include "driver/places.h"

#include <stdio.h>
#include <string.h>

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

static const char *by_shape(const char *text, int ranks, coll_place *place) {
  int nodes, sockets, caches, cores, used = 0;
  if (sscanf(text, "%dx%dx%dx%d%n", &nodes, &sockets, &caches, &cores, &used) != 4) {
    caches = 1;
    if (sscanf(text, "%dx%dx%d%n", &nodes, &sockets, &cores, &used) != 3) return "cannot be read";
  }
  bool cyclic = !strcmp(text + used, ",cyclic");
  if ((text[used] && !cyclic) || nodes < 1 || sockets < 1 || caches < 1 || cores < 1) return "cannot be read";
  if ((long)nodes * sockets * caches * cores < ranks) return "has fewer cores than there are ranks";
  for (int r = 0; r < ranks; r++) {
    int core = cyclic ? r / nodes : r % (sockets * caches * cores),
        node = cyclic ? r % nodes : r / (sockets * caches * cores);
    int cache = node * sockets * caches + core / cores;
    place[r] = (coll_place){ .node = node, .socket = cache / caches, .cache = cache };
  }
  return NULL;
}

static const char *from_file(FILE *f, int ranks, coll_place *place) {
  for (int r = 0; r < ranks; r++)
    if (fscanf(f, "%d %d %d", &place[r].node, &place[r].socket, &place[r].cache) != 3)
      return "has fewer lines \"node socket cache\" than there are ranks";
  return NULL;
}

const char *places_given(const char *text, int ranks, coll_place *place) {
  FILE *f = fopen(text, "r");
  if (!f) return by_shape(text, ranks, place);
  const char *wrong = from_file(f, ranks, place);
  fclose(f);
  return wrong;
}
