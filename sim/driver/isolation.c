/* Copies of the simulation. */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/port.h"
#include "sim/runtime/give_up.h"
#include "sim/driver/start.h"

/* These meetings take no simulated time; one rank forks while all others wait in them. */
static bool in_copy;
static int copy_status;

/* True at the rank that leaves first. (What sg_barrier_wait returns differs between versions of SimGrid.) */
static bool gather(int ranks) {
  static unsigned left;
  sim_meet(ranks);
  return left++ % (unsigned)ranks == 0;
}

port_where port_isolate(int ranks, int *signal) {
  if (gather(ranks)) {
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) sim_give_up("fork");
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
