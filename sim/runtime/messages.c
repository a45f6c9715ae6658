/* How messages are to be sent: SMPI's mailboxes and limits are not quite MPI's. */
#include <simgrid/actor.h>
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

/* SMPI has one limit for both kinds of send, which is set to the larger one. What a synchronous send costs it asks the plug-in, but not what
 * a blocking one does that waits by itself. */
size_t port_synchronous(bool nonblocking) {
  long long blocking = eager_limit("collscope.eager_bytes", -1);
  long long other = eager_limit("collscope.eager_bytes_nonblocking", blocking);
  long long mine = nonblocking ? other : blocking;
  bool asks = port_has_turnaround() && !nonblocking;
  return asks || mine < blocking || mine < other ? (size_t)(mine + 1) : SIZE_MAX;
}

bool port_has_turnaround(void) {
  static int known = -1;
  if (known < 0) known = platform_says("collscope.turnaround") != NULL;
  return known;
}

/* An actor's data: from whom it has received since it last sent. 0: nobody; a rank of the world + 1; SEVERAL. FORWARDS, for a moment: it
 * is about to send on, which platforms/plugin/plugin.cpp charges. */
enum { FORWARDS = -2, SEVERAL = -1 };

static intptr_t world_rank(MPI_Comm comm, int rank) {
  if (comm == MPI_COMM_WORLD) return rank;
  MPI_Group group, world;
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, 1, &rank, world, &rank);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return rank;
}

static intptr_t received(void) { return (intptr_t)sg_actor_self_get_data(); }
static void set_received(intptr_t from) { sg_actor_self_set_data((void *)from); }

void port_received(MPI_Comm comm, int from) {
  intptr_t before = received(), now = world_rank(comm, from) + 1;
  set_received(before && before != now ? SEVERAL : now);
}

void port_sends(MPI_Comm comm, int to) {
  intptr_t before = received();
  set_received(before && before != world_rank(comm, to) + 1 ? FORWARDS : 0);
}
