/* Clocks and the common start. Clocks of nodes differ, and a start is placed a little ahead of all of them. */
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>

#include "core/runtime/port.h"

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

/* Leaders of nodes ask rank 0 in turn, and tell their nodes. */
static void ask_as_leader(MPI_Comm leaders) {
  int me, count;
  MPI_Comm_rank(leaders, &me);
  MPI_Comm_size(leaders, &count);
  for (int other = 1; other < count; other++)
    if (me == 0) answer_offset(other, leaders);
    else if (me == other) clock_offset = ask_offset(leaders);
}

void port_synchronise_clocks(MPI_Comm comm) {
  int rank, in_node, leader, nodes;
  MPI_Comm node;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &in_node);
  leader = in_node == 0;
  MPI_Allreduce(&leader, &nodes, 1, MPI_INT, MPI_SUM, comm);
  clock_offset = clock_error = 0;
  if (nodes > 1) {
    MPI_Comm leaders;
    MPI_Comm_split(comm, leader ? 0 : MPI_UNDEFINED, rank, &leaders);
    if (leader) {
      ask_as_leader(leaders);
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
