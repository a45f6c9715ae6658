#include "preload/progress_thread.h"

#include <sched.h>
#include <threads.h>

static thrd_t thread;
static mtx_t lock;
static cnd_t woken;
static bool runs, ends, work;
static int core;
static int (*look)(void);

static bool sleeps_until_woken(void) {
  mtx_lock(&lock);
  while (!work && !ends) cnd_wait(&woken, &lock);
  work = false;
  mtx_unlock(&lock);
  return !ends;
}

static int look_on(void *unused) {
  (void)unused;
  cpu_set_t one;
  CPU_ZERO(&one);
  if (core >= 0) {
    CPU_SET((size_t)core, &one);
    sched_setaffinity(0, sizeof one, &one); /* of this thread */
  }
  while (sleeps_until_woken())
    for (int over; (over = look()) >= 0;)
      if (!over) thrd_yield();
  return 0;
}

static void tell(bool *what) {
  mtx_lock(&lock);
  *what = true;
  cnd_signal(&woken);
  mtx_unlock(&lock);
}

bool thread_start(int cpu, int (*looks)(void)) {
  core = cpu;
  look = looks;
  mtx_init(&lock, mtx_plain);
  cnd_init(&woken);
  return runs = thrd_create(&thread, look_on, NULL) == thrd_success;
}

void thread_wake(void) {
  if (runs) tell(&work);
}

void thread_end(void) {
  if (!runs) return;
  tell(&ends);
  thrd_join(thread, NULL);
  runs = false;
}
