/* Where a rank sits on a real machine: its node from MPI, its socket and last-level cache from hwloc. */
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/port.h"

/* hwloc's number of the socket and of the last-level cache that this process is bound to; -1: it may move among several. */
typedef struct { int rank, socket, cache; } binding;

static int number_of(hwloc_obj_t bound, hwloc_obj_type_t type) {
  while (bound && bound->type != type) bound = bound->parent;
  return bound ? (int)bound->logical_index : -1;
}

/* The smallest part of the machine that holds all cores this process may run on. */
static hwloc_obj_t bound_to(hwloc_topology_t machine) {
  hwloc_bitmap_t cores = hwloc_bitmap_alloc();
  hwloc_obj_t part = NULL;
  if (!hwloc_get_cpubind(machine, cores, HWLOC_CPUBIND_PROCESS)) part = hwloc_get_obj_covering_cpuset(machine, cores);
  hwloc_bitmap_free(cores);
  return part ? part : hwloc_get_root_obj(machine);
}

static binding read_binding(int rank) {
  static const hwloc_obj_type_t seen[] = { HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE };
  binding b = { .rank = rank, .socket = -1, .cache = -1 };
  hwloc_topology_t machine;
  if (hwloc_topology_init(&machine)) return b;
  hwloc_topology_set_all_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
    hwloc_topology_set_type_filter(machine, seen[i], HWLOC_TYPE_FILTER_KEEP_ALL);
  if (!hwloc_topology_load(machine)) {
    hwloc_obj_t part = bound_to(machine);
    b.socket = number_of(part, HWLOC_OBJ_PACKAGE);
    bool has_l3 = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_L3CACHE) > 0;
    b.cache = has_l3 ? number_of(part, HWLOC_OBJ_L3CACHE) : b.socket;
  }
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
  binding mine = read_binding(rank), *all = malloc(sizeof *all * (size_t)size);
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
