#include "core/nonblocking/thread.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "core/runtime/allocate.h"

struct coll_thread {
  thrd_t thread;
  mtx_t lock;
  cnd_t woken;
  bool work, ends; /* under the lock */
  int cpu;
  int (*look)(void *);
  void *self;
};

static void run_there(int cpu) {
  cpu_set_t there;
  memset(&there, cpu < 0 ? 0xff : 0, sizeof there);
  if (cpu >= 0) CPU_SET((size_t)cpu, &there);
  sched_setaffinity(0, sizeof there, &there); /* of this thread */
}

static bool sleeps_until_woken(coll_thread *t) {
  mtx_lock(&t->lock);
  while (!t->work && !t->ends) cnd_wait(&t->woken, &t->lock);
  t->work = false;
  bool goes_on = !t->ends;
  mtx_unlock(&t->lock);
  return goes_on;
}

static int look_on(void *thread) {
  coll_thread *t = thread;
  run_there(t->cpu);
  while (sleeps_until_woken(t))
    for (int over; (over = t->look(t->self)) >= 0;)
      if (!over) thrd_yield();
  return 0;
}

static void tell(coll_thread *t, bool *what) {
  mtx_lock(&t->lock);
  *what = true;
  cnd_signal(&t->woken);
  mtx_unlock(&t->lock);
}

coll_thread *coll_thread_start(int cpu, int (*look)(void *self), void *self) {
  coll_thread *t = runtime_allocate(sizeof *t);
  *t = (coll_thread){ .cpu = cpu, .look = look, .self = self };
  mtx_init(&t->lock, mtx_plain);
  cnd_init(&t->woken);
  if (thrd_create(&t->thread, look_on, t) == thrd_success) return t;
  free(t);
  return NULL;
}

void coll_thread_wake(coll_thread *t) { tell(t, &t->work); }

void coll_thread_end(coll_thread *t) {
  tell(t, &t->ends);
  thrd_join(t->thread, NULL);
  mtx_destroy(&t->lock);
  cnd_destroy(&t->woken);
  free(t);
}
