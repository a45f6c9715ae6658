/* The real machine, as MPI and hwloc tell it: where a rank sits, and what processors there are. */
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/json.h"
#include "core/runtime/allocate.h"
#include "core/runtime/port.h"

/* Local work takes time by itself. */
void port_charge_reduce(size_t bytes) { (void)bytes; }
void port_charge_copy(size_t bytes) { (void)bytes; }
void port_charge_first_touch(size_t bytes) { (void)bytes; }
size_t port_fresh_from(void) { return SIZE_MAX; }

/* The machine with the parts that are looked at here, and no others: devices take time to find. NULL: hwloc cannot say. */
static hwloc_topology_t load_machine(void) {
  static const hwloc_obj_type_t seen[] = { HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE,
                                           HWLOC_OBJ_CORE };
  hwloc_topology_t machine;
  if (hwloc_topology_init(&machine)) return NULL;
  hwloc_topology_set_all_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
    hwloc_topology_set_type_filter(machine, seen[i], HWLOC_TYPE_FILTER_KEEP_ALL);
  if (!hwloc_topology_load(machine)) return machine;
  hwloc_topology_destroy(machine);
  return NULL;
}

/* hwloc's number of the part of this type that holds `part`; -1: none does. */
static int number_of(hwloc_obj_t part, hwloc_obj_type_t type) {
  while (part && part->type != type) part = part->parent;
  return part ? (int)part->logical_index : -1;
}

/* The last-level cache; where the machine does not say, a socket has one. */
static int cache_of(hwloc_topology_t machine, hwloc_obj_t part) {
  bool has_l3 = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_L3CACHE) > 0;
  return number_of(part, has_l3 ? HWLOC_OBJ_L3CACHE : HWLOC_OBJ_PACKAGE);
}

/* ---- where a rank sits ------------------------------------------------------------------------------ */

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
  hwloc_topology_t machine = load_machine();
  if (!machine) return b;
  hwloc_obj_t part = bound_to(machine);
  b.socket = number_of(part, HWLOC_OBJ_PACKAGE);
  b.cache = cache_of(machine, part);
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

/* ---- what processors there are ---------------------------------------------------------------------- */

static const char *model_of(hwloc_topology_t machine) {
  hwloc_obj_t socket = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PACKAGE, 0);
  const char *name = socket ? hwloc_obj_get_info_by_name(socket, "CPUModel") : NULL;
  return name ? name : "";
}

static void print_caches(hwloc_topology_t machine, json *j) {
  static const hwloc_obj_type_t levels[] = { HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE };
  json_array(j, "caches");
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    hwloc_obj_t cache = hwloc_get_obj_by_type(machine, levels[i], 0);
    if (!cache) continue;
    json_object(j, NULL);
    json_size(j, "level", i + 1);
    json_size(j, "bytes", cache->attr->cache.size);
    json_int(j, "cpus", hwloc_bitmap_weight(cache->cpuset));
    json_end(j);
  }
  json_end(j);
}

/* hwloc hangs memory beside the tree of processors: the first node that is near this one. */
static int memory_of(hwloc_obj_t cpu) {
  int node = hwloc_bitmap_first(cpu->nodeset);
  return node < 0 ? 0 : node;
}

static void print_cpus(hwloc_topology_t machine, hwloc_const_bitmap_t may_use, json *j) {
  json_array(j, "cpus");
  for (int number = hwloc_bitmap_first(may_use); number >= 0; number = hwloc_bitmap_next(may_use, number)) {
    hwloc_obj_t cpu = hwloc_get_pu_obj_by_os_index(machine, (unsigned)number);
    if (!cpu) continue;
    int core = number_of(cpu, HWLOC_OBJ_CORE), socket = number_of(cpu, HWLOC_OBJ_PACKAGE),
        cache = cache_of(machine, cpu);
    json_object(j, NULL);
    json_int(j, "cpu", number);
    json_int(j, "core", core < 0 ? (int)cpu->logical_index : core);
    json_int(j, "socket", socket < 0 ? 0 : socket);
    json_int(j, "numa", memory_of(cpu));
    json_int(j, "cache", cache < 0 ? 0 : cache);
    json_end(j);
  }
  json_end(j);
}

const char *port_topology(FILE *out) {
  hwloc_topology_t machine = load_machine();
  if (!machine) return "hwloc cannot say what this machine is";
  hwloc_bitmap_t may_use = hwloc_bitmap_alloc();
  bool known = may_use && !hwloc_get_cpubind(machine, may_use, HWLOC_CPUBIND_PROCESS);
  if (known) {
    json j = json_on(out);
    json_object(&j, NULL);
    json_object(&j, "topology");
    json_text(&j, "model", model_of(machine));
    print_caches(machine, &j);
    print_cpus(machine, may_use, &j);
    json_end(&j);
    json_end(&j);
  }
  hwloc_bitmap_free(may_use);
  hwloc_topology_destroy(machine);
  return known ? NULL : "the system does not say which processors this process may run on";
}
