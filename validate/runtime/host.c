/* The real machine: where a rank sits, as MPI and hwloc say it. Local work takes time by itself. */
#include <stdlib.h>

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"
#include "validate/runtime/hardware.h"

void port_charge_reduce(size_t bytes) { (void)bytes; }
void port_charge_copy(size_t bytes) { (void)bytes; }
void port_charge_first_touch(size_t bytes) { (void)bytes; }
size_t port_fresh_from(void) { return SIZE_MAX; }
size_t port_read_in_place_from(void) { return SIZE_MAX; }
void port_charge_invalidation(size_t bytes) { (void)bytes; }

/* hwloc's number of the socket and of the last-level cache that this process is bound to; -1: it may move among several. */
typedef struct {
  int rank, socket, cache;
} binding;

/* The smallest part of the machine that holds all cores this process may run on. */
static hwloc_obj_t bound_to(hwloc_topology_t machine) {
  hwloc_bitmap_t cores = hwloc_bitmap_alloc();
  hwloc_obj_t part = NULL;
  if (cores && !hwloc_get_cpubind(machine, cores, HWLOC_CPUBIND_PROCESS))
    part = hwloc_get_obj_covering_cpuset(machine, cores);
  hwloc_bitmap_free(cores);
  return part ? part : hwloc_get_root_obj(machine);
}

static binding read_binding(int rank) {
  binding b = { .rank = rank, .socket = -1, .cache = -1 };
  hwloc_topology_t machine = hardware_load();
  if (!machine) return b;
  hwloc_obj_t part = bound_to(machine);
  b.socket = hardware_number(part, HWLOC_OBJ_PACKAGE);
  b.cache = hardware_cache(machine, part);
  hwloc_topology_destroy(machine);
  return b;
}

/* A unit is named after the lowest rank in it, which is unique over all nodes. Ranks of a node that are bound to no socket, or
 * to no cache, count as sharing one: what is not known must not differ from launch to launch. */
coll_place port_place(MPI_Comm comm) {
  MPI_Comm node;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &size);
  binding mine = read_binding(rank), *all = runtime_allocate(sizeof *all * (size_t)size);
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, node);
  coll_place place = { .node = all[0].rank, .socket = rank, .cache = rank };
  for (int i = size; i-- > 0;) {
    if (all[i].socket != mine.socket) continue;
    place.socket = all[i].rank;
    if (all[i].cache == mine.cache) place.cache = all[i].rank;
  }
  free(all);
  MPI_Comm_free(&node);
  return place;
}
