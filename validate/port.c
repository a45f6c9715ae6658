/* The back-end of real runs: any MPI-3 library. */
#define _GNU_SOURCE
#include "core/runtime/port.h"
#include "core/runtime/shared.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void port_describe(FILE *out) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = 0;
  for (char *c = version; *c; c++)
    if (*c == '"' || *c == '\\') *c = '\'';
  fprintf(out, "\"back_end\":\"mpi\",\"library\":\"%s\"", version);
}

/* The offset to rank 0's clock, of this process. Ranks of one node share CLOCK_MONOTONIC, which needs none. */
static double clock_offset, clock_error;

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

/* ---- buffers and local work ------------------------------------------------------------------------- */

size_t port_large_message(void) { return SIZE_MAX; }

port_where port_isolate(int ranks, int *signal) { return (void)ranks, *signal = 0, PORT_HERE; }
void port_isolate_end(int ranks, FILE *out) { (void)ranks, (void)out; }

bool port_fold(bool on) { return !on; }
bool port_holds_data(void) { return true; }

void *port_alloc(size_t bytes) {
  void *p = NULL;
  if (!posix_memalign(&p, 64, bytes)) return p;
  fprintf(stderr, "collscope: out of memory (%zu bytes)\n", bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

void port_release(void *buffer) { free(buffer); }
void port_charge_reduce(size_t bytes) { (void)bytes; }
void port_charge_copy(size_t bytes) { (void)bytes; }

/* ---- a common start --------------------------------------------------------------------------------- */

enum { EXCHANGES = 50 };

/* Offset to rank 0's clock by the exchange with the smallest round trip (Cristian): wrong by at most half of that. */
static double ask_offset(MPI_Comm comm) {
  double best = 1e9, offset = 0, theirs;
  for (int i = 0; i < EXCHANGES; i++) {
    double sent = port_now();
    MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 1, &theirs, 1, MPI_DOUBLE, 0, 2, comm, MPI_STATUS_IGNORE);
    double trip = port_now() - sent;
    if (trip < best) best = trip, offset = theirs - (sent + trip / 2);
  }
  clock_error = best / 2;
  return offset;
}

static void answer_offset(int asker, MPI_Comm comm) {
  for (int i = 0; i < EXCHANGES; i++) {
    MPI_Recv(NULL, 0, MPI_BYTE, asker, 1, comm, MPI_STATUS_IGNORE);
    double now = port_now();
    MPI_Send(&now, 1, MPI_DOUBLE, asker, 2, comm);
  }
}

void port_synchronise_clocks(MPI_Comm comm) {
  int rank, size, nodes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm node;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int in_node, leader;
  MPI_Comm_rank(node, &in_node);
  leader = in_node == 0;
  MPI_Allreduce(&leader, &nodes, 1, MPI_INT, MPI_SUM, comm);
  clock_offset = clock_error = 0;
  if (nodes > 1) {
    MPI_Comm leaders;
    MPI_Comm_split(comm, leader ? 0 : MPI_UNDEFINED, rank, &leaders);
    if (leader) {
      int me, count;
      MPI_Comm_rank(leaders, &me);
      MPI_Comm_size(leaders, &count);
      for (int other = 1; other < count; other++)
        if (me == 0) answer_offset(other, leaders);
        else if (me == other) clock_offset = ask_offset(leaders);
      MPI_Comm_free(&leaders);
    }
    MPI_Bcast(&clock_offset, 1, MPI_DOUBLE, 0, node);
    MPI_Bcast(&clock_error, 1, MPI_DOUBLE, 0, node);
  }
  MPI_Comm_free(&node);
}

double port_clock_offset(double *error_s) { return *error_s = clock_error, clock_offset; }

double port_start_together(MPI_Comm comm, double window_s, bool *late) {
  MPI_Barrier(comm);
  *late = false;
  if (window_s <= 0) return port_now();
  double start = port_now() + clock_offset + window_s;
  MPI_Bcast(&start, 1, MPI_DOUBLE, 0, comm);
  start -= clock_offset;
  if (port_now() > start) *late = true;
  /* With more ranks than cores a spinning rank keeps another from its start. */
  while (port_now() < start) sched_yield();
  return start;
}

double port_window(MPI_Comm comm) {
  enum { TRIES = 10 };
  double began = port_now(), window;
  for (int i = 0; i < TRIES; i++) MPI_Barrier(comm);
  window = 20e-6 + 4 * (port_now() - began) / TRIES;
  MPI_Bcast(&window, 1, MPI_DOUBLE, 0, comm);
  return window;
}

const char *port_start_method(double window_s) { return window_s > 0 ? "window" : "barrier"; }

/* ---- segments --------------------------------------------------------------------------------------- */

struct coll_seg_state {
  MPI_Comm group;
  MPI_Win window;
  shared_memory memory;
};

coll_seg port_seg_open(MPI_Comm comm, int label, const int *world, int n, int me, size_t bytes, int flags) {
  coll_seg s = malloc(sizeof *s);
  MPI_Group all, members;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, n, world, &members);
  MPI_Comm_create_group(comm, members, label, &s->group);
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  MPI_Comm node;
  int together;
  MPI_Comm_split_type(s->group, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &together);
  MPI_Comm_free(&node);
  if (together != n) {
    fprintf(stderr, "collscope: a shared segment needs all its ranks on one node; only %d of %d share rank %d's\n", together, n, world[me]);
    MPI_Abort(comm, 1);
  }
  s->memory = shared_shape(bytes, flags);
  char *mine, *first;
  /* One block for all, so that parts lie at known places and alignment is in our hands. */
  MPI_Win_allocate_shared(me ? 0 : (MPI_Aint)shared_bytes(&s->memory, n), 1, MPI_INFO_NULL, s->group, &mine, &s->window);
  MPI_Aint size;
  int unit;
  MPI_Win_shared_query(s->window, 0, &size, &unit, &first);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, s->window);
  shared_place(&s->memory, first, me);
  MPI_Win_sync(s->window);
  MPI_Barrier(s->group);
  return s;
}

void port_seg_write(coll_seg s, int home, size_t offset, const void *src, size_t bytes)
{ shared_write(&s->memory, home, offset, src, bytes); }
void port_seg_read(coll_seg s, int home, size_t offset, void *dst, size_t bytes)
{ shared_read(&s->memory, home, offset, dst, bytes); }
void port_publish(coll_seg s, int home, int flag, uint64_t value) { shared_publish(&s->memory, home, flag, value); }

static void look_after_others(void *segment) {
  coll_seg s = segment;
  int there;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->group, &there, MPI_STATUS_IGNORE);
  sched_yield();
}

void port_await(coll_seg s, int home, int flag, uint64_t value) { shared_await(&s->memory, home, flag, value, look_after_others, s); }

void port_seg_close(coll_seg s) {
  MPI_Win_unlock_all(s->window);
  MPI_Win_free(&s->window);
  MPI_Comm_free(&s->group);
  free(s);
}
