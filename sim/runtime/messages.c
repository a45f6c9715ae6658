/* How messages are to be sent: SMPI's mailboxes and limits are not quite MPI's. */
#include <simgrid/config.h>
#include <stdlib.h>
#include <xbt/config.h>

#include "core/runtime/port.h"
#include "sim/runtime/platform.h"

/* SMPI keeps small and large messages in mailboxes of their own, and a small one that follows a large receive with the same tag
 * is matched with it: a deadlock (gather/linear_sync: a small first segment, a large rest). */
size_t port_large_message(void) { return (size_t)sg_cfg_get_int("smpi/async-small-thresh"); }

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
