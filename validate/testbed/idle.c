/* Preloaded into ranks of a test bed: a rank that waits sleeps. Where many ranks share few cores, Open MPI's waiting (poll without
 * waiting, then sched_yield, for ever) starves the switch. Here sched_yield waits until one of the descriptors polled last has news, or
 * a millisecond. After polls of which one found something it returns at once: else each message would cost that millisecond. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

enum { MAX_DESCRIPTORS = 256 };
static struct pollfd last[MAX_DESCRIPTORS];
static nfds_t watched;
static bool found;
unsigned collscope_waits; /* how often sched_yield has waited, for the test */

int poll(struct pollfd *fds, nfds_t n, int timeout_ms) {
  struct timespec wait = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
  int ready = ppoll(fds, n, timeout_ms < 0 ? NULL : &wait, NULL);
  if (!timeout_ms && n <= MAX_DESCRIPTORS) { /* Open MPI's own; its helper thread polls with a time to wait */
    memcpy(last, fds, n * sizeof *fds);
    watched = n;
    found |= ready > 0; /* after what it has read Open MPI polls once more, in vain, before it looks at the message */
  }
  return ready;
}

/* What poll is called as in programs compiled with -D_FORTIFY_SOURCE. */
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t room) {
  (void)room;
  return poll(fds, n, timeout_ms);
}

int sched_yield(void) {
  if (found || !watched) {
    found = false;
    return 0;
  }
  struct timespec most = { 0, 1000000 };
  collscope_waits++;
  ppoll(last, watched, &most, NULL);
  return 0;
}
