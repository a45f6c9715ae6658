/* The back-end of simulation: what this one is. All ranks live in one process here, so the static data of these files is shared by
 * them: that is how segments and the common start are made. Simulated time passes only in MPI calls and in what is charged.
 *
 * validate/ is the mirror of this folder: host.c, start.c, buffers.c and segments.c are in both. isolation.c and copies.cpp are
 * here alone: only a simulation can be copied as a whole, and only a simulator can be kept from moving data. */
#include "core/runtime/port.h"

#include <simgrid/version.h>
#include <xbt/config.h>
#include <xbt/sysdep.h>
#include <simgrid/config.h>
#include <simgrid/zone.h>
#include <smpi/smpi.h>
#include <stdlib.h>

void port_describe(json *j) {
  int major, minor, patch;
  char library[64];
  sg_version_get(&major, &minor, &patch);
  snprintf(library, sizeof library, "SimGrid %d.%d.%d", major, minor, patch);
  json_text(j, "back_end", "smpi");
  json_text(j, "library", library);
}

void port_describe_launch(MPI_Comm comm, json *j) { (void)comm, (void)j; }
void port_conclude(MPI_Comm comm, long discarded, FILE *out) { (void)comm, (void)discarded, (void)out; }

/* SMPI keeps small and large messages in mailboxes of their own, and a small one that follows a large receive with the same tag
 * is matched with it: a deadlock (gather/linear_sync: a small first segment, a large rest). */
size_t port_large_message(void) { return (size_t)sg_cfg_get_int("smpi/async-small-thresh"); }

/* What the outermost zone of the platform's file says, or NULL. Since SimGrid 4 a zone without a name in the file is around it. */
static const char *platform_says(const char *property) {
  const char *text = sg_zone_get_property_value(sg_zone_get_root(), property);
#if SIMGRID_VERSION >= 40000
  int zones = 0;
  sg_netzone_t *inside = sg_zone_get_childs(sg_zone_get_root(), &zones);
  if (!text && zones == 1) text = sg_zone_get_property_value(inside[0], property);
  xbt_free(inside);
#endif
  return text;
}

/* Seconds a byte. All ranks ask for the same. */
static double first_touch_s_per_byte(void) {
  static double known = -1;
  if (known < 0) {
    const char *text = platform_says("collscope.first_touch_s_per_byte");
    known = text ? strtod(text, NULL) : 0;
  }
  return known;
}

void port_charge_first_touch(size_t bytes) {
  double seconds = (double)bytes * first_touch_s_per_byte();
  if (seconds > 0) smpi_execute_benched(seconds);
}

size_t port_fresh_from(void) {
  const char *text = platform_says("collscope.fresh_from_bytes");
  return text && first_touch_s_per_byte() > 0 ? (size_t)strtoull(text, NULL, 10) : SIZE_MAX;
}

/* Largest message that is eager, as the platform says; where it says nothing, `other`. */
static long long eager_limit(const char *property, long long other) {
  const char *text = platform_says(property);
  return text ? strtoll(text, NULL, 10) : other;
}

/* SMPI has one limit for both kinds of send, which is set to the larger one. */
size_t port_synchronous(bool nonblocking) {
  long long blocking = eager_limit("collscope.eager_bytes", -1);
  long long other = eager_limit("collscope.eager_bytes_nonblocking", blocking);
  long long mine = nonblocking ? other : blocking;
  return mine < blocking || mine < other ? (size_t)(mine + 1) : SIZE_MAX;
}
