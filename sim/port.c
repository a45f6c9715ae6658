/* The back-end of simulation. All ranks live in one process here, so the static data of this file is shared by them: that is
 * how segments and the common start are made. Simulated time passes only in MPI calls and in what this file charges. */
#define _GNU_SOURCE
#include "core/runtime/port.h"

#include <errno.h>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/cond.h>
#include <simgrid/config.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mutex.h>
#include <simgrid/version.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>
#include <xbt/config.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/copies.h"

void port_describe(FILE *out) {
  int major, minor, patch;
  sg_version_get(&major, &minor, &patch);
  fprintf(out, "\"back_end\":\"smpi\",\"library\":\"SimGrid %d.%d.%d\"", major, minor, patch);
}

double port_now(void) { return MPI_Wtime(); }
void port_idle(double seconds) { sg_actor_sleep_for(seconds); }

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

/* ---- a common start --------------------------------------------------------------------------------- */

static sg_bar_t *barriers;     /* by number of ranks: groups are the first n ranks of the world, and barriers can be used again */
static int barriers_size;

static sg_bar_t barrier_of(int n) {
  if (n >= barriers_size) {
    barriers = realloc(barriers, sizeof *barriers * (size_t)(n + 1));
    memset(barriers + barriers_size, 0, sizeof *barriers * (size_t)(n + 1 - barriers_size));
    barriers_size = n + 1;
  }
  if (!barriers[n]) barriers[n] = sg_barrier_init((unsigned)n);
  return barriers[n];
}

double port_start_together(MPI_Comm comm, double window_s, bool *late) {
  (void)window_s;
  int n;
  MPI_Comm_size(comm, &n);
  *late = false;
  if (n > 1) sg_barrier_wait(barrier_of(n));
  return port_now();
}

double port_window(MPI_Comm comm) { return (void)comm, 0; }
const char *port_start_method(double window_s) { return (void)window_s, "simulated"; }
void port_synchronise_clocks(MPI_Comm comm) { (void)comm; }
double port_clock_offset(double *error_s) { return *error_s = 0; }

/* ---- buffers ---------------------------------------------------------------------------------------- */

/* Folded buffers have addresses of their own, in one reserved range, but share the pages of one file, so that hundreds of
 * GiB fit. SMPI has such a malloc too; it touches every page, which takes longer than the simulation. */
static char *fold_range, *fold_next;
static int fold_file;
static const size_t fold_reserved = (size_t)32 << 40, fold_shared = (size_t)64 << 20, fold_page = 4096;

static void give_up(const char *what) {
  fprintf(stderr, "collscope: %s: %s\n", what, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

bool port_fold(bool on) {
  if (!on || fold_range) return true;
  void *range = mmap(NULL, fold_reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  fold_file = memfd_create("collscope", 0);
  if (range == MAP_FAILED || fold_file < 0 || ftruncate(fold_file, (off_t)fold_shared)) give_up("folding buffers");
  fold_range = fold_next = range;
  sim_skip_copies();
  return true;
}

bool port_holds_data(void) { return !fold_range; }
bool sim_folded(const void *buffer)
{ return fold_range && (const char *)buffer >= fold_range && (const char *)buffer < fold_range + fold_reserved; }

static void *alloc_folded(size_t bytes) {
  bytes = (bytes + fold_page - 1) / fold_page * fold_page;
  char *start = fold_next;
  if (bytes > (size_t)(fold_range + fold_reserved - start)) return errno = ENOMEM, NULL;
  for (size_t at = 0; at < bytes; at += fold_shared) {
    size_t n = bytes - at < fold_shared ? bytes - at : fold_shared;
    if (mmap(start + at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fold_file, 0) == MAP_FAILED) return NULL;
  }
  fold_next += bytes;
  return start;
}

void *port_alloc(size_t bytes) {
  void *p = fold_range ? alloc_folded(bytes ? bytes : 1) : malloc(bytes ? bytes : 1);
  if (!p) give_up("a buffer");
  return p;
}

/* Folded addresses are not used again: there are enough, and the copy of the simulation that took them ends soon. */
void port_release(void *buffer) {
  if (!sim_folded(buffer)) free(buffer);
}

/* SMPI keeps small and large messages in mailboxes of their own, and a small one that follows a large receive with the same tag
 * is matched with it: a deadlock (gather/linear_sync: a small first segment, a large rest). */
size_t port_large_message(void) { return (size_t)sg_cfg_get_int("smpi/async-small-thresh"); }

/* ---- copies of the simulation ----------------------------------------------------------------------- */

/* The barriers below take no simulated time; one rank forks while all others wait in them. */
static bool in_copy;
static int copy_status;

/* True at the rank that leaves first. (What sg_barrier_wait returns differs between versions of SimGrid.) */
static bool gather(int ranks) {
  static unsigned left;
  if (ranks > 1) sg_barrier_wait(barrier_of(ranks));
  return left++ % (unsigned)ranks == 0;
}

port_where port_isolate(int ranks, int *signal) {
  if (gather(ranks)) {
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) give_up("fork");
    in_copy = child == 0;
    while (child > 0 && waitpid(child, &copy_status, 0) < 0 && errno == EINTR) {}
  }
  gather(ranks);
  if (in_copy) return PORT_COPY;
  *signal = WIFSIGNALED(copy_status) ? WTERMSIG(copy_status) : 0;
  return copy_status ? PORT_LOST : PORT_DONE;
}

/* The original must know when lines were lost, on a full disk say; only the rank that wrote them sees that in its `out`. */
void port_isolate_end(int ranks, FILE *out) {
  static bool lost;
  if (ferror(out)) lost = true;
  if (gather(ranks)) {
    if (fflush(NULL)) lost = true;
    _exit(lost);
  }
  gather(ranks);
}

/* ---- segments --------------------------------------------------------------------------------------- */

struct coll_seg_state {
  int label, leader, members, open, opened;
  size_t bytes;
  int flags;
  sg_host_t *host;             /* [members] */
  char *data;                  /* members parts */
  uint64_t *flag;              /* members × flags */
  sg_host_t *setter;           /* [members × flags] who set it last */
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

coll_seg port_seg_open(MPI_Comm comm, int label, const int *world, int n, int me, size_t bytes, int flags) {
  (void)comm;
  coll_seg s = find_segment(label, world[0], n, me);
  if (!s) {
    /* While these two are made other ranks run, and one of them may open the segment. */
    sg_mutex_t mutex = sg_mutex_init();
    sg_cond_t changed = sg_cond_init();
    s = find_segment(label, world[0], n, me);
    if (s) {
      sg_mutex_destroy(mutex);
      sg_cond_destroy(changed);
    } else {
      s = calloc(1, sizeof *s);
      *s = (struct coll_seg_state){ .label = label, .leader = world[0], .members = n, .bytes = bytes, .flags = flags,
                                    .mutex = mutex, .changed = changed };
      s->host = calloc((size_t)n, sizeof *s->host);
      s->data = malloc(bytes * (size_t)n + 1);
      s->flag = calloc((size_t)n * (size_t)flags + 1, sizeof *s->flag);
      s->setter = calloc((size_t)n * (size_t)flags + 1, sizeof *s->setter);
      coll_seg *end = &segments;
      while (*end) end = &(*end)->next;
      *end = s;
    }
  }
  s->host[me] = sg_host_self();
  s->open++;
  /* All go on together: a rank that is a call ahead must not find the segment of a call that another has yet to open. */
  sg_mutex_lock(s->mutex);
  if (++s->opened == n) sg_cond_notify_all(s->changed);
  while (s->opened < n) sg_cond_wait(s->changed, s->mutex);
  sg_mutex_unlock(s->mutex);
  return s;
}

/* Moving bytes to or from another rank's part is traffic between the two cores, as a message is; the own part is a copy. */
static void charge_access(coll_seg s, int home, size_t bytes, bool write) {
  sg_host_t here = sg_host_self();
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
  s->setter[home * s->flags + flag] = sg_host_self();
  sg_cond_notify_all(s->changed);
  sg_mutex_unlock(s->mutex);
}

/* Whoever sees a flag change gets its cache line from the core that changed it. */
void port_await(coll_seg s, int home, int flag, uint64_t value) {
  enum { LINE = 64 };
  sg_mutex_lock(s->mutex);
  while (s->flag[home * s->flags + flag] < value) sg_cond_wait(s->changed, s->mutex);
  sg_mutex_unlock(s->mutex);
  sg_host_t here = sg_host_self(), setter = s->setter[home * s->flags + flag];
  if (setter && setter != here) sg_host_sendto(setter, here, LINE);
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
  free(s->setter);
  free(s);
}
