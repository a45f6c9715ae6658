#include "driver/launch.h"

#include <stdlib.h>

#include "core/runtime/allocate.h"
#include "driver/places.h"
#include "driver/port.h"

void launch_open(launch *l) {
  MPI_Comm_dup(MPI_COMM_WORLD, &l->world);
  MPI_Comm_rank(l->world, &l->rank);
  MPI_Comm_size(l->world, &l->size);
  port_synchronise_clocks(l->world);
  l->place = places_found(l->world);
  l->first = runtime_allocate(sizeof *l->first * (size_t)(l->size + 1));
  l->made = runtime_allocate_zeroed(sizeof *l->made * (size_t)(l->size + 1));
  types_make(&l->types);
  l->discarded = 0;
  l->played = NULL;
}

void launch_close(launch *l) {
  types_free(&l->types);
  for (int p = 1; p < l->size; p++)
    if (l->made[p] && l->rank < p) MPI_Comm_free(&l->first[p]);
  free(l->place);
  free(l->first);
  free(l->made);
  MPI_Comm_free(&l->world);
}

MPI_Comm launch_first(launch *l, int ranks) {
  if (ranks == l->size) return l->world;
  if (!l->made[ranks]) {
    MPI_Comm_split(l->world, l->rank < ranks ? 0 : MPI_UNDEFINED, l->rank, &l->first[ranks]);
    l->made[ranks] = true;
  }
  return l->first[ranks];
}

bool launch_agrees(MPI_Comm world, uint64_t number) {
  uint64_t both[2] = { number, ~number }, most[2];
  MPI_Allreduce(both, most, 2, MPI_UINT64_T, MPI_MAX, world);
  return most[0] == ~most[1];
}
