#include "preload/progress.h"

#include <stdlib.h>
#include <threads.h>

#include "core/nonblocking/thread.h"
#include "core/runtime/allocate.h"
#include "preload/freed.h"
#include "preload/handle.h"
#include "preload/own.h"

atomic_int progress_waits, progress_known, progress_persistent;
static atomic_int active;
static mtx_t lock;
static coll_engine *engine;
static operation *first, **end = &first; /* those that are active, in the order of their starts */
static operation *over;                  /* those that are to be freed */
static operation *all;                   /* these, and persistent ones that are not active */
enum { PERSISTENT = 256 };
static operation *persistent[PERSISTENT]; /* by their requests */
static bool counts;

/* ---- the lock --------------------------------------------------------------------------------------- */

/* How often this thread is within: the program's operators, error handlers and delete functions run there, and may free what it holds. */
static _Thread_local int depth;

static void entered(void) {
  depth++;
  own_advances = true;
}

void progress_enter(void) {
  if (!depth) mtx_lock(&lock);
  entered();
}

void progress_leave(void) {
  if (--depth) return;
  own_advances = false;
  mtx_unlock(&lock);
}

/* ---- who calls -------------------------------------------------------------------------------------- */

static enum { BY_CALLS, BY_HOOK, BY_THREAD } by;
static coll_thread *thread; /* NULL: none */

/* Open MPI's progress calls functions that are registered there; its own non-blocking collectives are. */
#ifdef OPEN_MPI
int opal_progress_register(int (*)(void)) __attribute__((weak));
int opal_progress_unregister(int (*)(void)) __attribute__((weak));
static bool has_hook(void) { return opal_progress_register && opal_progress_unregister; }
static void hook(void) { opal_progress_register(progress_look); }
static void unhook(void) { opal_progress_unregister(progress_look); }
#else
static bool has_hook(void) { return false; }
static void hook(void) {}
static void unhook(void) {}
#endif

/* Programs without non-blocking calls do not notice. */
static void wake(void) {
  static bool hooked;
  if (by == BY_THREAD) coll_thread_wake(thread);
  if (by != BY_HOOK || hooked) return;
  hooked = true;
  hook();
}

/* ---- operations ------------------------------------------------------------------------------------- */

static operation **persistent_at(MPI_Request request) { return &persistent[(uintptr_t)request / 8 % PERSISTENT]; }

void progress_know(operation *o) {
  o->before = NULL;
  o->behind = all;
  if (all) all->before = o;
  all = o;
  progress_known++;
  if (o->kind != PLANS_PERSISTENT) return;
  o->same = *persistent_at(o->request);
  *persistent_at(o->request) = o;
  progress_persistent++;
}

operation *progress_of(MPI_Request request) {
  operation *o = *persistent_at(request);
  while (o && o->request != request) o = o->same;
  return o;
}

static void put_over(operation *o) {
  o->next = over;
  over = o;
}

void progress_release(operation *o) {
  operation **at = persistent_at(o->request);
  while (*at != o) at = &(*at)->same;
  *at = o->same;
  progress_persistent--;
  o->request = MPI_REQUEST_NULL;
  if (!o->active) put_over(o);
}

void progress_begin(operation *o) {
  if (counts) o->begun_s = MPI_Wtime();
  o->inside_s = 0;
  o->next = NULL;
  *end = o;
  end = &o->next;
  if (by == BY_CALLS) progress_waits++;
  operation_begin(o, engine);
  if (!active++) wake();
}

static bool none_uses(MPI_Datatype type, MPI_Op op) {
  for (const operation *o = all; o; o = o->behind)
    if (type != MPI_DATATYPE_NULL ? operation_uses_type(o, type) : o->call.op == op) return false;
  return true;
}

/* Once this thread is within no more than once: what is looked through meanwhile stays as it is. */
void progress_tidy(void) {
  if (depth > 1) return;
  for (operation *o; (o = over);) {
    over = o->next;
    if (o->before) o->before->behind = o->behind;
    else all = o->behind;
    if (o->behind) o->behind->before = o->before;
    operation_free(o);
    progress_known--;
  }
  freed_sweep(none_uses);
}

void progress_enter_tidy(void) {
  progress_enter();
  progress_tidy();
}

void progress_free_type(MPI_Datatype type) {
  progress_enter();
  freed_add(type, MPI_OP_NULL);
  progress_tidy();
  progress_leave();
}

void progress_free_operator(MPI_Op op) {
  progress_enter();
  freed_add(MPI_DATATYPE_NULL, op);
  progress_tidy();
  progress_leave();
}

/* ---- looking ---------------------------------------------------------------------------------------- */

static void count(operation *o) {
  o->planned->over[o->kind].calls++;
  o->planned->over[o->kind].took_s += MPI_Wtime() - o->begun_s;
  o->planned->over[o->kind].inside_s += o->inside_s;
}

/* A persistent one that failed is over, as MPI frees its request. */
static void is_over(operation *o) {
  if (counts) count(o);
  if (o->kind == PLANS_NONBLOCKING || o->request == MPI_REQUEST_NULL) put_over(o);
  else if (o->failed) progress_release(o);
}

static int look(void) {
  int ended = 0;
  coll_advance(engine);
  for (operation **at = &first; *at;) {
    operation *o = *at;
    if (!operation_end(o)) {
      at = &o->next;
      continue;
    }
    if (!(*at = o->next)) end = at;
    is_over(o);
    ended++;
  }
  active -= ended;
  if (by == BY_CALLS) progress_waits -= ended;
  return ended;
}

static int look_if_active(void *unused) {
  (void)unused;
  return active ? progress_look() : -1;
}

/* The calls that were under way share the time. */
static int look_and_count(void) {
  double before = MPI_Wtime();
  int ended = look(), left = active;
  double each = (MPI_Wtime() - before) / (left + ended);
  for (operation *o = first; o; o = o->next) o->inside_s += each;
  return ended;
}

/* MPI calls this back from within functions that we call here, too. */
int progress_look(void) {
  if (!active || own_advances || mtx_trylock(&lock) != thrd_success) return 0;
  entered();
  int ended = !active ? 0 : counts ? look_and_count() : look();
  progress_leave();
  return ended;
}

/* ---- once ------------------------------------------------------------------------------------------- */

void progress_start(bool counted, int cpu) {
  mtx_init(&lock, mtx_plain);
  engine = coll_engine_make(false); /* our lock is around it */
  handles_start();
  counts = counted;
  thread = cpu == PROGRESS_NO_THREAD ? NULL : coll_thread_start(cpu, look_if_active, NULL);
  by = thread ? BY_THREAD : has_hook() ? BY_HOOK : BY_CALLS;
}

void progress_end(void) {
  if (thread) coll_thread_end(thread);
  if (by == BY_HOOK) unhook();
  progress_enter();
  progress_tidy();
  progress_leave();
  handles_end();
  if (!all) coll_engine_free(engine);
}
