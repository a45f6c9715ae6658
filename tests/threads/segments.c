/* Shared segments: those of real runs, in the memory that threads share anyway. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/threads/world.h"

/* Members open in the same order, so the oldest segment of this name that still lacks this member is the one. */
static segment *find_segment(threads_world *w, const coll_ctx *c) {
  segment **at = &w->segments;
  for (; *at; at = &(*at)->next)
    if ((*at)->label == c->label && (*at)->leader == threads_peer_of(c, 0) && (*at)->members == c->size &&
        !(*at)->has[c->rank])
      return *at;
  segment *g = *at = threads_allocate(sizeof *g);
  *g = (segment){
    .label = c->label, .leader = threads_peer_of(c, 0), .members = c->size, .has = calloc((size_t)c->size, sizeof(bool))
  };
  return g;
}

coll_seg threads_op_seg_open(coll_ctx *c, size_t n, int flags) {
  threads_call *s = threads_shaken(c);
  threads_world *w = s->w;
  coll_seg mine = threads_keep(s, sizeof *mine);
  mine->memory = shared_shape(n * c->elem, flags);
  pthread_mutex_lock(&w->lock);
  segment *g = find_segment(w, c);
  if (!g->block) {
    size_t bytes = shared_bytes(&mine->memory, c->size);
    g->block = threads_allocate(bytes);
    memset(g->block, 0x5C, bytes);
    w->opened++;
  }
  g->has[c->rank] = true;
  shared_place(&mine->memory, g->block, c->rank);
  if (++g->opened == g->members)
    for (int r = 0; r < w->size; r++) threads_wake(w, r);
  while (g->opened < g->members) threads_wait(w, threads_peer_of(c, c->rank));
  pthread_mutex_unlock(&w->lock);
  return mine;
}

void *threads_op_seg_part(coll_ctx *c, coll_seg g) { return shared_part(&g->memory, c->rank); }

void threads_op_seg_write(coll_ctx *c, coll_seg g, int home, size_t off, const void *src, size_t n) {
  threads_shaken(c);
  shared_write(&g->memory, home, off * c->elem, src, n * c->elem);
}

void threads_op_seg_read(coll_ctx *c, coll_seg g, int home, size_t off, void *dst, size_t n) {
  threads_shaken(c);
  shared_read(&g->memory, home, off * c->elem, dst, n * c->elem);
}

void threads_op_publish(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value) {
  threads_shaken(c);
  shared_publish(&g->memory, home, flag, value);
}

typedef struct {
  coll_ctx *c;
  const _Atomic uint64_t *flag;
  uint64_t value;
  bool watched;
} wait_for_flag;

/* Sixteen that spin would hardly leave those whom they wait for a core. */
static void let_others(void *self) {
  wait_for_flag *f = self;
  threads_call *s = threads_shaken(f->c);
  threads_watch(s->w, threads_peer_of(f->c, f->c->rank), f->flag, f->value);
  f->watched = true;
  nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

void threads_op_await(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value) {
  threads_call *s = threads_shaken(c);
  wait_for_flag f = { .c = c, .flag = shared_flag_of(&g->memory, home, flag), .value = value };
  shared_await(&g->memory, home, flag, value, let_others, &f);
  if (f.watched) threads_watch(s->w, threads_peer_of(c, c->rank), NULL, 0);
}
