/* The machine as hwloc finds it. */
#ifndef COLLSCOPE_VALIDATE_RUNTIME_HARDWARE_H
#define COLLSCOPE_VALIDATE_RUNTIME_HARDWARE_H

#include <hwloc.h>

/* The machine with the parts that are looked at here, and no others: devices take time to find. NULL: hwloc cannot say. */
hwloc_topology_t hardware_load(void);
/* hwloc's number of the part of this type that holds `part`; -1: none does. */
int hardware_number(hwloc_obj_t part, hwloc_obj_type_t type);
/* The last-level cache; where the machine does not say, a socket has one. */
int hardware_cache(hwloc_topology_t machine, hwloc_obj_t part);

#endif
