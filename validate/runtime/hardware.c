#include "validate/runtime/hardware.h"

#include <stdbool.h>

hwloc_topology_t hardware_load(void) {
  static const hwloc_obj_type_t kept[] = { HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE,
                                           HWLOC_OBJ_CORE };
  hwloc_topology_t machine;
  if (hwloc_topology_init(&machine)) return NULL;
  hwloc_topology_set_all_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    hwloc_topology_set_type_filter(machine, kept[i], HWLOC_TYPE_FILTER_KEEP_ALL);
  if (!hwloc_topology_load(machine)) return machine;
  hwloc_topology_destroy(machine);
  return NULL;
}

int hardware_number(hwloc_obj_t part, hwloc_obj_type_t type) {
  while (part && part->type != type) part = part->parent;
  return part ? (int)part->logical_index : -1;
}

int hardware_cache(hwloc_topology_t machine, hwloc_obj_t part) {
  bool has_l3 = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_L3CACHE) > 0;
  return hardware_number(part, has_l3 ? HWLOC_OBJ_L3CACHE : HWLOC_OBJ_PACKAGE);
}
