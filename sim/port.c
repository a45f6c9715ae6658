/* The back-end of simulation: what this one is. All ranks live in one process here, so the static data of these files is shared by
 * them: that is how segments and the common start are made. Simulated time passes only in MPI calls and in what is charged.
 *
 * validate/ is the mirror of this folder: host.c, start.c, buffers.c and segments.c are in both. isolation.c and copies.cpp are
 * here alone: only a simulation can be copied as a whole, and only a simulator can be kept from moving data. */
#include "core/runtime/port.h"

#include <simgrid/version.h>
#include <xbt/config.h>
#include <simgrid/config.h>

void port_describe(json *j) {
  int major, minor, patch;
  char library[64];
  sg_version_get(&major, &minor, &patch);
  snprintf(library, sizeof library, "SimGrid %d.%d.%d", major, minor, patch);
  json_text(j, "back_end", "smpi");
  json_text(j, "library", library);
}

/* SMPI keeps small and large messages in mailboxes of their own, and a small one that follows a large receive with the same tag
 * is matched with it: a deadlock (gather/linear_sync: a small first segment, a large rest). */
size_t port_large_message(void) { return (size_t)sg_cfg_get_int("smpi/async-small-thresh"); }
