/* What processors this machine has. */
#include "core/catalogue/json.h"
#include "driver/port.h"
#include "validate/runtime/hardware.h"

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
    int core = hardware_number(cpu, HWLOC_OBJ_CORE), socket = hardware_number(cpu, HWLOC_OBJ_PACKAGE),
        cache = hardware_cache(machine, cpu);
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
  hwloc_topology_t machine = hardware_load();
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
