/* Shared segments: a window of memory that the processes of a node share. */
#include <sched.h>

#include "core/runtime/allocate.h"
#include "core/runtime/give_up.h"
#include "core/runtime/port.h"
#include "core/runtime/shared.h"

struct coll_seg_state {
  MPI_Comm group;
  MPI_Win window;
  shared_memory memory;
};

/* How many of the group share this rank's memory. */
static int members_on_node(MPI_Comm group) {
  MPI_Comm node;
  int together;
  MPI_Comm_split_type(group, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &together);
  MPI_Comm_free(&node);
  return together;
}

coll_seg port_seg_open(MPI_Comm comm, int label, const int *world, int n, int me, size_t bytes, int flags) {
  coll_seg s = runtime_allocate(sizeof *s);
  MPI_Group all, members;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, n, world, &members);
  MPI_Comm_create_group(comm, members, label, &s->group);
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  int together = members_on_node(s->group);
  if (together != n) {
    fprintf(stderr, "collscope: a shared segment needs all its ranks on one node; only %d of %d share rank %d's\n",
            together, n, world[me]);
    runtime_give_up(comm);
  }
  s->memory = shared_shape(bytes, flags);
  char *mine, *first;
  /* One block for all, so that parts lie at known places and alignment is in our hands. */
  MPI_Win_allocate_shared(me ? 0 : (MPI_Aint)shared_bytes(&s->memory, n), 1, MPI_INFO_NULL, s->group, &mine,
                          &s->window);
  MPI_Aint size;
  int unit;
  MPI_Win_shared_query(s->window, 0, &size, &unit, &first);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, s->window);
  shared_place(&s->memory, first, me);
  MPI_Win_sync(s->window);
  MPI_Barrier(s->group);
  return s;
}

void *port_seg_part(coll_seg s, int me) { return shared_part(&s->memory, me); }
void port_seg_write(coll_seg s, int home, size_t offset, const void *src, size_t bytes) {
  shared_write(&s->memory, home, offset, src, bytes);
}
void port_seg_read(coll_seg s, int home, size_t offset, void *dst, size_t bytes) {
  shared_read(&s->memory, home, offset, dst, bytes);
}
void port_publish(coll_seg s, int home, int flag, uint64_t value) { shared_publish(&s->memory, home, flag, value); }

static void make_progress(void *segment) {
  coll_seg s = segment;
  int there;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->group, &there, MPI_STATUS_IGNORE);
  sched_yield();
}

void port_await(coll_seg s, int home, int flag, uint64_t value) {
  shared_await(&s->memory, home, flag, value, make_progress, s);
}

void port_seg_close(coll_seg s) {
  MPI_Win_unlock_all(s->window);
  MPI_Win_free(&s->window);
  MPI_Comm_free(&s->group);
  free(s);
}
