/* The back-end of simulation. All ranks live in one process here, so the static data of this file is shared by them: that is
 * how segments and the common start are made. Simulated time passes only in MPI calls and in what this file charges. */
#include "../algorithms/operations/port.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/cond.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mutex.h>
#include <simgrid/version.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>

#define STRING(x) #x
#define TEXT(x) STRING(x)

void port_describe(FILE *out) {
  int major, minor, patch;
  sg_version_get(&major, &minor, &patch);
  fprintf(out, "\"back_end\":\"smpi\",\"library\":\"SimGrid %d.%d.%d\"", major, minor, patch);
}

double port_now(void) { return MPI_Wtime(); }

/* ---- properties of the host ------------------------------------------------------------------------- */

static double host_number(const char *name) {
  const char *text = sg_host_get_property_value(sg_host_self(), name);
  if (text) return strtod(text, NULL);
  fprintf(stderr, "collscope: host %s has no property \"%s\" in the platform file; each host needs node, socket, cache, gamma "
          "and copy\n", sg_host_self_get_name(), name);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return 0;
}

coll_place port_place(MPI_Comm comm) {
  (void)comm;
  return (coll_place){ .node = (int)host_number("node"), .socket = (int)host_number("socket"), .cache = (int)host_number("cache") };
}

/* Looked up once for each host: properties are text. */
typedef struct { double gamma, copy; } speed;

static const speed *host_speed(void) {
  sg_host_t host = sg_host_self();
  speed *s = sg_host_get_data(host);
  if (!s) {
    s = malloc(sizeof *s);
    *s = (speed){ .gamma = host_number("gamma"), .copy = host_number("copy") };
    sg_host_set_data(host, s);
  }
  return s;
}

void port_charge_reduce(size_t bytes) {
  double seconds = (double)bytes * host_speed()->gamma;
  if (seconds > 0) smpi_execute_benched(seconds);
}

void port_charge_copy(size_t bytes) {
  double seconds = (double)bytes * host_speed()->copy;
  if (seconds > 0) smpi_execute_benched(seconds);
}

/* ---- buffers ---------------------------------------------------------------------------------------- */

static bool folding;
enum { FOLD_FROM = 1 << 16 };   /* below this, sharing pages costs more than it saves */

bool port_fold(bool on) { return folding = on, true; }
bool port_holds_data(void) { return !folding; }

/* SMPI_SHARED_FREE takes only what SMPI_SHARED_MALLOC made. */
typedef struct folded { void *buffer; struct folded *next; } folded;
static folded *all_folded;

void *port_alloc(size_t bytes) {
  void *p;
  if (folding && bytes >= FOLD_FROM) {
    p = SMPI_SHARED_MALLOC(bytes);
    folded *f = malloc(sizeof *f);
    *f = (folded){ .buffer = p, .next = all_folded };
    all_folded = f;
  } else p = malloc(bytes);
  if (!p) {
    fprintf(stderr, "collscope: out of memory (%zu bytes)\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return p;
}

void port_release(void *buffer) {
  for (folded **f = &all_folded; *f; f = &(*f)->next)
    if ((*f)->buffer == buffer) {
      folded *found = *f;
      *f = found->next;
      free(found);
      SMPI_SHARED_FREE(buffer);
      return;
    }
  free(buffer);
}

/* ---- a common start --------------------------------------------------------------------------------- */

static sg_bar_t *barriers;     /* by number of ranks: groups are the first n ranks of the world, and barriers can be used again */
static int barriers_size;

double port_start_together(MPI_Comm comm, double window_s, bool *late) {
  (void)window_s;
  int n;
  MPI_Comm_size(comm, &n);
  *late = false;
  if (n > 1) {
    if (n >= barriers_size) {
      barriers = realloc(barriers, sizeof *barriers * (size_t)(n + 1));
      memset(barriers + barriers_size, 0, sizeof *barriers * (size_t)(n + 1 - barriers_size));
      barriers_size = n + 1;
    }
    if (!barriers[n]) barriers[n] = sg_barrier_init((unsigned)n);
    sg_barrier_wait(barriers[n]);
  }
  return port_now();
}

double port_window(MPI_Comm comm) { return (void)comm, 0; }
const char *port_start_method(double window_s) { return (void)window_s, "simulated"; }
void port_synchronise_clocks(MPI_Comm comm) { (void)comm; }

/* ---- segments --------------------------------------------------------------------------------------- */

struct coll_seg_state {
  int label, leader, occurrence, members, open;
  size_t bytes;
  int flags;
  sg_host_t *host;             /* [members] */
  char *data;                  /* members parts */
  uint64_t *flag;              /* members × flags */
  sg_mutex_t mutex;
  sg_cond_t changed;
  struct coll_seg_state *next;
};
static struct coll_seg_state *segments;

/* Members open in the same order, so the first segment of this name that still lacks this member is the one. */
coll_seg port_seg_open(MPI_Comm comm, int label, const int *world, int n, int me, size_t bytes, int flags) {
  (void)comm;
  coll_seg s = segments;
  while (s && !(s->label == label && s->leader == world[0] && s->members == n && !s->host[me])) s = s->next;
  if (!s) {
    s = calloc(1, sizeof *s);
    s->label = label;
    s->leader = world[0];
    s->members = n;
    s->bytes = bytes;
    s->flags = flags;
    s->host = calloc((size_t)n, sizeof *s->host);
    s->data = malloc(bytes * (size_t)n + 1);
    s->flag = calloc((size_t)n * (size_t)flags + 1, sizeof *s->flag);
    s->mutex = sg_mutex_init();
    s->changed = sg_cond_init();
    coll_seg *end = &segments;   /* oldest first: see above */
    while (*end) end = &(*end)->next;
    *end = s;
  }
  s->host[me] = sg_host_self();
  s->open++;
  return s;
}

/* Moving bytes to or from another rank's part is traffic between the two cores, as a message is; the own part is a copy. */
static void charge_access(coll_seg s, int home, size_t bytes, bool write) {
  sg_host_t here = sg_host_self();
  while (home < s->members && !s->host[home]) sg_actor_yield();
  if (s->host[home] == here) port_charge_copy(bytes);
  else if (write) sg_host_sendto(here, s->host[home], (double)bytes);
  else sg_host_sendto(s->host[home], here, (double)bytes);
}

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
  sg_cond_notify_all(s->changed);
  sg_mutex_unlock(s->mutex);
}

void port_await(coll_seg s, int home, int flag, uint64_t value) {
  sg_mutex_lock(s->mutex);
  while (s->flag[home * s->flags + flag] < value) sg_cond_wait(s->changed, s->mutex);
  sg_mutex_unlock(s->mutex);
}

void port_seg_close(coll_seg s) {
  if (--s->open) return;
  for (coll_seg *at = &segments; *at; at = &(*at)->next)
    if (*at == s) { *at = s->next; break; }
  sg_mutex_destroy(s->mutex);
  sg_cond_destroy(s->changed);
  free(s->host);
  free(s->data);
  free(s->flag);
  free(s);
}
