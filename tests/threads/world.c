#define _GNU_SOURCE
#include "tests/threads/world.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- what ThreadSanitizer is told ------------------------------------------------------------------- */

#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *, int), AnnotateIgnoreReadsEnd(const char *, int);
void AnnotateIgnoreWritesBegin(const char *, int), AnnotateIgnoreWritesEnd(const char *, int);
void AnnotateIgnoreSyncBegin(const char *, int), AnnotateIgnoreSyncEnd(const char *, int);
void __tsan_acquire(void *), __tsan_release(void *);
static void hide(void) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
}
static void show(void) {
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
void threads_tell(void *x) { __tsan_release(x); }
void threads_hear(void *x) { __tsan_acquire(x); }
#else
static void hide(void) {}
static void show(void) {}
void threads_tell(void *x) { (void)x; }
void threads_hear(void *x) { (void)x; }
#endif

/* ---- the world -------------------------------------------------------------------------------------- */

void threads_give_up(const threads_call *s, const char *why) {
  fprintf(stderr, "%s: rank %d: %s\n", s->alg->key, s->ctx.rank, why);
  abort();
}

void *threads_allocate(size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (!p) abort();
  return p;
}

threads_world *threads_world_make(int ranks, size_t eager, unsigned seed, void (*stuck)(void)) {
  threads_world *w = threads_allocate(sizeof *w);
  *w = (threads_world){ .size = ranks, .eager = eager, .seed = seed, .stuck = stuck };
  size_t n = (size_t)ranks;
  w->news = threads_allocate(n * sizeof *w->news);
  w->sent = threads_allocate(n * sizeof *w->sent);
  w->posted = threads_allocate(n * sizeof *w->posted);
  w->wait = threads_allocate(n * sizeof *w->wait);
  for (int r = 0; r < ranks; r++) {
    pthread_cond_init(&w->news[r], NULL);
    w->wait[r] = (rank_wait){ 0 };
    w->sent[r] = (queue){ .end = &w->sent[r].first };
    w->posted[r] = (queue){ .end = &w->posted[r].first };
  }
  pthread_mutex_init(&w->lock, NULL);
  pthread_barrier_init(&w->all, NULL, (unsigned)ranks);
  return w;
}

void threads_world_free(threads_world *w) {
  for (int r = 0; r < w->size; r++) pthread_cond_destroy(&w->news[r]);
  pthread_mutex_destroy(&w->lock);
  pthread_barrier_destroy(&w->all);
  free(w->news);
  free(w->sent);
  free(w->posted);
  free(w->wait);
  free(w);
}

unsigned long threads_segments(threads_world *w) { return w->opened; }

void threads_enter(threads_world *w) {
  hide();
  pthread_mutex_lock(&w->lock);
}

void threads_leave(threads_world *w) {
  pthread_mutex_unlock(&w->lock);
  show();
}

/* ---- waiting ---------------------------------------------------------------------------------------- */

static bool all_blocked(const threads_world *w) {
  if (w->blocked < w->size) return false;
  for (const rank_wait *r = w->wait; r < w->wait + w->size; r++)
    if (r->flag && atomic_load_explicit(r->flag, memory_order_relaxed) >= r->value) return false;
  return true;
}

void threads_wait(threads_world *w, int rank) {
  w->wait[rank].blocked = true;
  w->blocked++;
  if (all_blocked(w)) w->stuck();
  while (w->wait[rank].blocked) pthread_cond_wait(&w->news[rank], &w->lock);
}

void threads_wake(threads_world *w, int rank) {
  if (!w->wait[rank].blocked) return;
  w->wait[rank].blocked = false;
  w->blocked--;
  pthread_cond_signal(&w->news[rank]);
}

void threads_meet(threads_world *w) {
  threads_enter(w);
  w->blocked++;
  if (++w->met == w->size) w->met = 0, w->blocked -= w->size;
  else if (all_blocked(w)) w->stuck();
  threads_leave(w);
  pthread_barrier_wait(&w->all);
}

void threads_watch(threads_world *w, int rank, const _Atomic uint64_t *flag, uint64_t value) {
  threads_enter(w);
  w->blocked += (flag != NULL) - (w->wait[rank].flag != NULL);
  w->wait[rank].flag = flag;
  w->wait[rank].value = value;
  if (flag && all_blocked(w)) w->stuck();
  threads_leave(w);
}

/* ---- an uneven pace --------------------------------------------------------------------------------- */

unsigned threads_draw(threads_call *s) {
  s->random ^= s->random << 13;
  s->random ^= s->random >> 7;
  s->random ^= s->random << 17;
  return (unsigned)(s->random >> 32);
}

threads_call *threads_shaken(coll_ctx *c) {
  threads_call *s = c->self;
  unsigned number = threads_draw(s);
  if (number % 8 == 0) sched_yield();
  if (number % 256 == 1) nanosleep(&(struct timespec){ .tv_nsec = 1000 * (number >> 8) % 100000 }, NULL);
  return s;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

void *threads_keep(threads_call *s, size_t bytes) {
  memory *m = &s->blocks;
  if (m->blocks == m->room) {
    m->room = m->room ? 2 * m->room : 16;
    m->block = realloc(m->block, sizeof *m->block * (size_t)m->room);
    if (!m->block) abort();
  }
  void *block = m->block[m->blocks++] = threads_allocate(bytes);
  memset(block, 0x5C, bytes); /* whoever counts on zeros finds none */
  return block;
}

void threads_release(threads_call *s, int from) {
  while (s->blocks.blocks > from) free(s->blocks.block[--s->blocks.blocks]);
}

int threads_peer_of(const coll_ctx *c, int rank) { return c->world ? c->world[rank] : rank; }
