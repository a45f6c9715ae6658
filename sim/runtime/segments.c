/* Shared segments: in simulation one memory for all ranks, with the traffic that reading and writing it makes. */
#include <simgrid/cond.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mutex.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"

struct coll_seg_state {
  int label, leader, members, open, opened;
  size_t bytes;
  int flags;
  sg_host_t *host;   /* [members] */
  sg_host_t *memory; /* [members] what stands for the memory of the part; where nothing does, the host */
  char *data;        /* members parts */
  uint64_t *flag;    /* members × flags */
  sg_host_t *setter; /* [members × flags] who set it last */
  sg_mutex_t mutex;
  sg_cond_t changed;
  struct coll_seg_state *next;
};
static struct coll_seg_state *segments;

/* Members open in the same order, so the oldest segment of this name that still lacks this member is the one. */
static coll_seg find_segment(int label, int leader, int n, int me) {
  coll_seg s = segments;
  while (s && !(s->label == label && s->leader == leader && s->members == n && !s->host[me])) s = s->next;
  return s;
}

/* Appended to the list. While its lock is made other ranks run, and one of them may open the segment: then that is the one. */
static coll_seg make_segment(int label, int leader, int n, int me, size_t bytes, int flags) {
  sg_mutex_t mutex = sg_mutex_init();
  sg_cond_t changed = sg_cond_init();
  coll_seg s = find_segment(label, leader, n, me);
  if (s) {
    sg_mutex_destroy(mutex);
    sg_cond_destroy(changed);
    return s;
  }
  s = runtime_allocate(sizeof *s);
  *s = (struct coll_seg_state){
    .label = label, .leader = leader, .members = n, .bytes = bytes, .flags = flags, .mutex = mutex, .changed = changed
  };
  s->host = runtime_allocate_zeroed((size_t)n * sizeof *s->host);
  s->memory = runtime_allocate_zeroed((size_t)n * sizeof *s->memory);
  s->data = runtime_allocate(bytes * (size_t)n + 1);
  s->flag = runtime_allocate_zeroed((size_t)n * (size_t)flags * sizeof *s->flag);
  s->setter = runtime_allocate_zeroed((size_t)n * (size_t)flags * sizeof *s->setter);
  coll_seg *end = &segments;
  while (*end) end = &(*end)->next;
  return *end = s;
}

/* The platform file may name a host that stands for the memory beside a core. */
static sg_host_t memory_of(sg_host_t core) {
  const char *name = sg_host_get_property_value(core, "shared");
  sg_host_t memory = name ? sg_host_by_name(name) : NULL;
  return memory ? memory : core;
}

coll_seg port_seg_open(MPI_Comm comm, int label, const int *world, int n, int me, size_t bytes, int flags) {
  (void)comm;
  coll_seg s = find_segment(label, world[0], n, me);
  if (!s) s = make_segment(label, world[0], n, me, bytes, flags);
  s->host[me] = sg_host_self();
  s->memory[me] = memory_of(s->host[me]);
  s->open++;
  /* All go on together: a rank that is a call ahead must not find the segment of a call that another has yet to open. */
  sg_mutex_lock(s->mutex);
  if (++s->opened == n) sg_cond_notify_all(s->changed);
  while (s->opened < n) sg_cond_wait(s->changed, s->mutex);
  sg_mutex_unlock(s->mutex);
  return s;
}

/* Bytes of another rank's part are moved by the core that reads or writes: they cross its port and what lies between it and the
 * memory, not the port of the core whose part it is. The own part is a copy. */
static void charge_access(coll_seg s, int home, size_t bytes, bool write) {
  sg_host_t here = sg_host_self();
  if (s->host[home] == here) port_charge_copy(bytes);
  else if (write) sg_host_sendto(here, s->memory[home], (double)bytes);
  else sg_host_sendto(s->memory[home], here, (double)bytes);
}

void *port_seg_part(coll_seg s, int me) { return s->data + (size_t)me * s->bytes; }

void port_seg_write(coll_seg s, int home, size_t offset, const void *src, size_t bytes) {
  charge_access(s, home, bytes, true);
  if (port_holds_data()) memcpy(s->data + (size_t)home * s->bytes + offset, src, bytes);
}

void port_seg_read(coll_seg s, int home, size_t offset, void *dst, size_t bytes) {
  charge_access(s, home, bytes, false);
  if (port_holds_data()) memcpy(dst, s->data + (size_t)home * s->bytes + offset, bytes);
}

void port_publish(coll_seg s, int home, int flag, uint64_t value) {
  sg_mutex_lock(s->mutex);
  s->flag[home * s->flags + flag] = value;
  s->setter[home * s->flags + flag] = sg_host_self();
  sg_cond_notify_all(s->changed);
  sg_mutex_unlock(s->mutex);
}

/* Whoever sees a flag change gets its cache line from where the core that changed it has it. */
void port_await(coll_seg s, int home, int flag, uint64_t value) {
  enum { LINE = 64 };
  sg_mutex_lock(s->mutex);
  while (s->flag[home * s->flags + flag] < value) sg_cond_wait(s->changed, s->mutex);
  sg_mutex_unlock(s->mutex);
  sg_host_t here = sg_host_self(), setter = s->setter[home * s->flags + flag];
  if (setter && setter != here) sg_host_sendto(memory_of(setter), here, LINE);
}

void port_seg_close(coll_seg s) {
  if (--s->open) return;
  for (coll_seg *at = &segments; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      break;
    }
  sg_mutex_destroy(s->mutex);
  sg_cond_destroy(s->changed);
  free(s->host);
  free(s->memory);
  free(s->data);
  free(s->flag);
  free(s->setter);
  free(s);
}
