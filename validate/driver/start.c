/* Clocks and the common start: round-time, in which ranks agree before each call on an instant a little ahead of all clocks
 * (Hunold & Carpen-Amarie 2018, doi:10.1109/CLUSTER.2018.00050). */
#define _GNU_SOURCE
#include "validate/driver/start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/runtime/allocate.h"
#include "driver/port.h"
#include "validate/driver/clocks.h"

int port_min_warmup(void) { return 0; }

/* Of this process. */
static uint64_t identity;
static clock_model model;
static clock_summary summary;

double port_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void port_idle(double seconds) {
  double whole = (double)(time_t)seconds;
  struct timespec t = { (time_t)seconds, (long)(1e9 * (seconds - whole)) };
  nanosleep(&t, NULL);
}

/* ---- clocks ----------------------------------------------------------------------------------------- */

static uint64_t add_text(uint64_t hash, const char *text) { /* FNV-1a */
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
  return hash;
}

/* CLOCK_MONOTONIC is one for a boot of a kernel, but for time namespaces. Where the kernel does not tell its boot: for a host. */
static uint64_t clock_identity(void) {
  char boot[256] = "", space[256] = "";
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  bool known = file && fgets(boot, sizeof boot, file);
  if (file) fclose(file);
  if (!known) gethostname(boot, sizeof boot - 1);
  if (readlink("/proc/self/ns/time", space, sizeof space - 1) < 0) *space = '\0';
  return add_text(add_text(0xCBF29CE484222325u, boot), space);
}

void port_synchronise_clocks(MPI_Comm comm) {
  identity = clock_identity();
  model = clocks_learn(comm, identity, port_now, &summary);
}

double port_common_time(double own) { return clock_common(&model, own); }
double port_clock_error(double own) { return clock_error(&model, own); }

/* The smallest step between two readings, of many: what a time is at least wrong by. */
static double clock_step(void) {
  double least = INFINITY, before = port_now();
  for (int i = 0; i < 10000; i++) {
    double now = port_now();
    if (now > before) least = fmin(least, now - before);
    before = now;
  }
  return least;
}

void start_describe(json *j) {
  json_object(j, "clocks");
  json_text(j, "scheme", summary.clocks > 1 ? "hca3" : "shared");
  json_int(j, "clocks", summary.clocks);
  json_real(j, "error_s", summary.error_s);
  json_real(j, "drift", summary.drift);
  json_real(j, "drift_error", summary.drift_error);
  json_real(j, "step_s", clock_step());
  json_end(j);
}

double start_offset_now(MPI_Comm comm, double *error_s) {
  return clocks_check(comm, identity, port_now, &model, error_s);
}

/* ---- starting together ------------------------------------------------------------------------------ */

/* With more ranks than cores a spinning rank keeps another from its start: all sleep until shortly before, longer than a late waking takes,
 * and then yield. The kernel's own yield: on a test bed sched_yield itself sleeps (testbed/idle.c), and would come back a millisecond late.
 * In the last moment nobody yields: a system call takes as long as a short message. */
void port_wait_until(double own_s) {
  static const double awake_s = 200e-6, spins_s = 5e-6;
  double asleep_s = own_s - port_now() - awake_s;
  if (asleep_s > 0) port_idle(asleep_s);
  while (port_now() < own_s - spins_s) syscall(SYS_sched_yield);
  while (port_now() < own_s) continue;
}

/* The start lies a window after the last rank has come, which one exchange tells to all. */
double port_start_together(MPI_Comm comm, double window_s, bool *late) {
  *late = false;
  if (window_s <= 0) {
    MPI_Barrier(comm);
    return port_now();
  }
  double came = port_common_time(port_now()), start;
  MPI_Allreduce(&came, &start, 1, MPI_DOUBLE, MPI_MAX, comm);
  start = clock_own(&model, start + window_s);
  *late = port_now() > start;
  port_wait_until(start);
  return start;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* As short as may be: in a pause caches forget what a rank that comes from its last call still has there, and its first message takes twice
 * its time after some 30 us. So: an exchange and a half, and what a disturbed core takes. Of two ranks that come one after the other, the
 * first waits longer than a message takes, by as much as it came earlier, and is the later one by as much the next time; two consecutive
 * times are as long as two messages. */
static double find_window(MPI_Comm comm) {
  enum { TRIES = 10, PAIRS = TRIES - 1 };
  double came[TRIES + 1], last, pair[PAIRS], window;
  came[0] = port_now();
  for (int i = 0; i < TRIES; i++) {
    MPI_Allreduce(&came[i], &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    came[i + 1] = port_now();
  }
  for (int i = 0; i < PAIRS; i++) pair[i] = (came[i + 2] - came[i]) / 2;
  qsort(pair, PAIRS, sizeof *pair, by_size);
  window = 2e-6 + 1.5 * pair[PAIRS / 2];
  MPI_Bcast(&window, 1, MPI_DOUBLE, 0, comm);
  return window;
}

static int forget(MPI_Comm comm, int key, void *window, void *none) {
  (void)comm, (void)key, (void)none;
  free(window);
  return MPI_SUCCESS;
}

/* Found once for a communicator: on a network that takes as long as several calls. */
double port_window(MPI_Comm comm) {
  static int kept = MPI_KEYVAL_INVALID;
  double *window;
  int known;
  if (kept == MPI_KEYVAL_INVALID) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &kept, NULL);
  MPI_Comm_get_attr(comm, kept, &window, &known);
  if (known) return *window;
  window = runtime_allocate(sizeof *window);
  *window = find_window(comm);
  MPI_Comm_set_attr(comm, kept, window);
  return *window;
}

const char *port_start_method(double window_s) { return window_s > 0 ? "window" : "barrier"; }

double port_largest(MPI_Comm comm, double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm);
  return mine;
}
