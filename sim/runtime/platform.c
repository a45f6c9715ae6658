#include "sim/runtime/platform.h"

#include <simgrid/zone.h>
#include <stddef.h>
#include <xbt/sysdep.h>
/* needs the others */
#include <simgrid/version.h>

const char *platform_says(const char *property) {
  const char *text = sg_zone_get_property_value(sg_zone_get_root(), property);
#if SIMGRID_VERSION >= 40000
  int zones = 0;
  sg_netzone_t *inside = sg_zone_get_childs(sg_zone_get_root(), &zones);
  if (!text && zones == 1) text = sg_zone_get_property_value(inside[0], property);
  xbt_free(inside);
#endif
  return text;
}
