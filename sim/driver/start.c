/* Clocks and the common start. All clocks are one here, and a start is exact. */
#include "sim/driver/start.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <string.h>

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"
#include "driver/port.h"

double port_now(void) { return MPI_Wtime(); }
void port_idle(double seconds) { sg_actor_sleep_for(seconds); }

void port_wait_until(double own_s) {
  double left = own_s - port_now();
  if (left > 0) sg_actor_sleep_for(left);
}

static sg_bar_t
    *barriers; /* by number of ranks: groups are the first n ranks of the world, and barriers can be used again */
static int barriers_size;

static sg_bar_t barrier_of(int n) {
  if (n >= barriers_size) {
    barriers = runtime_reallocate(barriers, sizeof *barriers * (size_t)(n + 1));
    memset(barriers + barriers_size, 0, sizeof *barriers * (size_t)(n + 1 - barriers_size));
    barriers_size = n + 1;
  }
  if (!barriers[n]) barriers[n] = sg_barrier_init((unsigned)n);
  return barriers[n];
}

int port_min_warmup(void) { return port_read_in_place_from() < SIZE_MAX; }

void sim_meet(int ranks) {
  if (ranks > 1) sg_barrier_wait(barrier_of(ranks));
}

double port_start_together(MPI_Comm comm, double window_s, bool *late) {
  (void)window_s;
  int n;
  MPI_Comm_size(comm, &n);
  *late = false;
  sim_meet(n);
  sg_actor_self_set_data(NULL); /* nothing has been received: see sim/runtime/messages.c */
  return port_now();
}

double port_window(MPI_Comm comm) { return (void)comm, 0; }
const char *port_start_method(double window_s) { return (void)window_s, "simulated"; }
void port_synchronise_clocks(MPI_Comm comm) { (void)comm; }
double port_common_time(double own) { return own; }
double port_clock_error(double own) { return (void)own, 0; }

/* Messages would change how those that follow meet: a simulation repeats to the last digit only from the same beginning. */
double port_largest(MPI_Comm comm, double mine) {
  static double largest;
  int n;
  MPI_Comm_size(comm, &n);
  sim_meet(n);
  largest = mine;
  sim_meet(n);
  if (mine > largest) largest = mine;
  sim_meet(n);
  return largest;
}
