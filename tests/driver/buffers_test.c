/* What "cold" and "fresh" buffers are. Cold: more than the caches hold has been read since, whatever the system says of them. Fresh: on pages
 * that the system has yet to map. The system's answers and the requests for memory are played, so that nothing depends on this machine. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/runtime/port_memory.h"
#include "driver/port_caches.h"

enum { BYTES = 128 << 10, LINE = 64, MIB = 1 << 20 };
static int failures;

static void expect(int holds, const char *what, double a, double b) {
  if (holds) return;
  fprintf(stderr, "%s: %g, %g\n", what, a, b);
  failures++;
}

/* ---- the system: the linker puts these in place of sysconf and posix_memalign ----------------------- */

static long level2 = -1, level3 = -1; /* bytes of these caches; 0 or -1: the system does not say */
static char *block;                   /* the memory that was asked for last */
static size_t block_bytes;

long __real_sysconf(int name);
long __wrap_sysconf(int name) {
  return name == _SC_LEVEL2_CACHE_SIZE ? level2 : name == _SC_LEVEL3_CACHE_SIZE ? level3 : __real_sysconf(name);
}

int __real_posix_memalign(void **p, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **p, size_t alignment, size_t bytes) {
  int status = __real_posix_memalign(p, alignment, bytes);
  block = *p;
  block_bytes = bytes;
  return status;
}

/* ---- cold ------------------------------------------------------------------------------------------- */

static size_t pages_read;

/* The first touch of a page that was locked. */
static void unlock(int signal, siginfo_t *info, void *context) {
  size_t page = (size_t)__real_sysconf(_SC_PAGESIZE), at = (size_t)((char *)info->si_addr - block);
  (void)signal, (void)context;
  if (at >= block_bytes || mprotect(block + at / page * page, page, PROT_READ | PROT_WRITE)) _exit(2);
  pages_read++;
}

/* A process of its own: caches are looked up once. */
static void empties(long l2, long l3, size_t bytes) {
  size_t page = (size_t)__real_sysconf(_SC_PAGESIZE);
  pid_t child = fork();
  if (!child) {
    struct sigaction action = { .sa_sigaction = unlock, .sa_flags = SA_SIGINFO };
    level2 = l2;
    level3 = l3;
    port_empty_caches();
    expect(block_bytes == bytes, "emptying caches takes memory, not", (double)block_bytes, (double)bytes);
    sigaction(SIGSEGV, &action, NULL);
    for (size_t again = 1; again <= 2; again++) {
      mprotect(block, block_bytes, PROT_NONE);
      port_empty_caches();
      expect(pages_read == again * bytes / page, "pages read, not", (double)pages_read, (double)(again * bytes / page));
    }
    _exit(failures != 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect(child > 0 && !status, "emptying caches of these sizes fails", (double)l2, (double)l3);
}

/* ---- fresh ------------------------------------------------------------------------------------------ */

static long faults(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

static long faults_to_write(char *buffer) {
  long before = faults();
  for (size_t i = 0; i < BYTES; i += LINE) ((volatile char *)buffer)[i] = 2;
  return faults() - before;
}

static void renews(void) {
  char *buffer = port_alloc(BYTES), *small = port_alloc(100);
  memset(buffer, 1, BYTES);
  memset(small, 1, 100);
  expect((size_t)small % LINE == 0, "a small buffer begins with a line of the cache, not at",
         (double)((size_t)small % LINE), 0);
  long page = __real_sysconf(_SC_PAGESIZE), pages = BYTES / page;
  expect(faults_to_write(buffer) < pages / 4, "page faults of a warm buffer, pages", faults_to_write(buffer), pages);
  port_renew(buffer, BYTES);
  long found = faults_to_write(buffer);
  expect(found >= pages, "page faults of a fresh buffer, pages", found, pages);
  port_renew(small, 100);
  expect(small[0] == 1 && small[99] == 1, "a small buffer keeps its page: first and last byte", small[0], small[99]);
  port_release(small);
  port_release(buffer);
}

int main(void) {
  expect(port_has_caches() && port_holds_data() && !port_share_buffers(), "a real run has caches and data", 0, 0);
  empties(MIB / 4, MIB, 2 * MIB);
  empties(MIB / 4, 0, MIB / 2);
  empties(MIB / 4, -1, MIB / 2);
  empties(0, 0, 64 * MIB);
  empties(-1, -1, 64 * MIB);
  renews();
  return failures ? 1 : 0;
}
