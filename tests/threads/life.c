#define _GNU_SOURCE
#include "life.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/runtime/port_memory.h"
#include "driver/check/values.h"

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
/* What a thread did before told(x) has happened for a thread after heard(x). */
static void told(void *x) { __tsan_release(x); }
static void heard(void *x) { __tsan_acquire(x); }
#else
static void hide(void) {}
static void show(void) {}
static void told(void *x) { (void)x; }
static void heard(void *x) { (void)x; }
#endif

/* ---- the world -------------------------------------------------------------------------------------- */

/* A send or a receive. A send is done when its data has been taken, an eager one at once; a receive, when its data is there. */
typedef struct transfer {
  struct transfer *next;
  int from, to, label;            /* from -1: any source */
  uint64_t epoch;
  size_t bytes;
  char *data;                     /* the caller's; an eager message's own copy */
  bool eager, done;
  struct transfer *message;       /* a receive's eager message, to be taken when it is waited for */
} transfer;

typedef struct { transfer *first, **end; } queue;

typedef struct segment {          /* what its members share */
  struct segment *next;
  int label, leader, members, opened;
  bool *has;                      /* [members] */
  char *block;
} segment;

struct life_world {
  int size;
  size_t eager;
  unsigned seed;
  pthread_mutex_t lock;
  pthread_cond_t *news;           /* [size] */
  queue *sent, *posted;           /* [size] by receiver, waiting for their match */
  pthread_barrier_t all;
  segment *segments;
  unsigned long opened;
};

typedef struct { void **block; int blocks, room; } memory;

struct life_call {
  life_world *w;
  const coll_alg *alg;
  coll_args args;
  coll_ctx ctx;
  coll_grouping levels[COLL_LEVELS];
  plan_type type;
  plan_op op;
  uint64_t random, epoch;
  transfer **request;             /* coll_req is an index + 1 */
  int requests;
  memory blocks;
};

static void give_up(const life_call *s, const char *why) {
  fprintf(stderr, "%s: rank %d: %s\n", s->alg->key, s->ctx.rank, why);
  abort();
}

static void *allocate(size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (!p) abort();
  return p;
}

void *port_alloc(size_t bytes) { return allocate(bytes); }
void port_release(void *buffer) { free(buffer); }

life_world *life_world_make(int ranks, size_t eager, unsigned seed) {
  life_world *w = allocate(sizeof *w);
  *w = (life_world){ .size = ranks, .eager = eager, .seed = seed };
  size_t n = (size_t)ranks;
  w->news = allocate(n * sizeof *w->news);
  w->sent = allocate(n * sizeof *w->sent);
  w->posted = allocate(n * sizeof *w->posted);
  for (int r = 0; r < ranks; r++) {
    pthread_cond_init(&w->news[r], NULL);
    w->sent[r] = (queue){ .end = &w->sent[r].first };
    w->posted[r] = (queue){ .end = &w->posted[r].first };
  }
  pthread_mutex_init(&w->lock, NULL);
  pthread_barrier_init(&w->all, NULL, (unsigned)ranks);
  return w;
}

void life_world_free(life_world *w) {
  for (int r = 0; r < w->size; r++) pthread_cond_destroy(&w->news[r]);
  pthread_mutex_destroy(&w->lock);
  pthread_barrier_destroy(&w->all);
  free(w->news);
  free(w->sent);
  free(w->posted);
  free(w);
}

void life_meet(life_world *w) { pthread_barrier_wait(&w->all); }
unsigned long life_segments(life_world *w) { return w->opened; }

static void enter(life_world *w) {
  hide();
  pthread_mutex_lock(&w->lock);
}

static void leave(life_world *w) {
  pthread_mutex_unlock(&w->lock);
  show();
}

/* ---- an uneven pace --------------------------------------------------------------------------------- */

static unsigned draw(life_call *s) {
  s->random ^= s->random << 13;
  s->random ^= s->random >> 7;
  s->random ^= s->random << 17;
  return (unsigned)(s->random >> 32);
}

static life_call *shaken(coll_ctx *c) {
  life_call *s = c->self;
  unsigned number = draw(s);
  if (number % 8 == 0) sched_yield();
  if (number % 256 == 1) nanosleep(&(struct timespec){ .tv_nsec = 1000 * (number >> 8) % 100000 }, NULL);
  return s;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static void *keep(life_call *s, size_t bytes) {
  memory *m = &s->blocks;
  if (m->blocks == m->room) {
    m->room = m->room ? 2 * m->room : 16;
    m->block = realloc(m->block, sizeof *m->block * (size_t)m->room);
    if (!m->block) abort();
  }
  void *block = m->block[m->blocks++] = allocate(bytes);
  memset(block, 0x5C, bytes);     /* whoever counts on zeros finds none */
  return block;
}

static void release(life_call *s, int from) {
  while (s->blocks.blocks > from) free(s->blocks.block[--s->blocks.blocks]);
}

static void *op_scratch(coll_ctx *c, size_t n) { return keep(c->self, n * c->elem); }
static void *op_keep(coll_ctx *c, size_t bytes) { return keep(c->self, bytes); }

/* ---- messages --------------------------------------------------------------------------------------- */

static void append(queue *q, transfer *t) {
  t->next = NULL;
  *q->end = t;
  q->end = &t->next;
}

static void take_out(queue *q, transfer **at) {
  transfer *t = *at;
  *at = t->next;
  if (!t->next) q->end = at;
}

static bool fits(const transfer *send, const transfer *recv) {
  return (recv->from < 0 || recv->from == send->from) && recv->label == send->label && recv->epoch == send->epoch;
}

static int peer_of(const coll_ctx *c, int rank) { return c->world ? c->world[rank] : rank; }

static transfer *new_transfer(coll_ctx *c, int from, int to, const void *buf, size_t n) {
  life_call *s = c->self;
  transfer *t = allocate(sizeof *t);
  *t = (transfer){ .from = from, .to = to, .label = c->label, .bytes = n * c->elem, .data = (char *)buf };
  if (s->alg->flags & COLL_ANY_SOURCE) t->epoch = s->epoch;   /* as operations/mpi.c does with tags */
  return t;
}

static void check_size(const life_call *s, const transfer *send, const transfer *recv) {
  if (send->bytes != recv->bytes) give_up(s, "a message and its receive differ in size");
}

static void set_done(life_world *w, transfer *t, int waiting) {
  enter(w);
  t->done = true;
  pthread_cond_signal(&w->news[waiting]);
  leave(w);
}

/* Data goes straight from sender to receiver by whoever comes second; an eager message is a copy that its receiver takes. */
static transfer *start_send(coll_ctx *c, const void *buf, size_t n, int to) {
  life_call *s = shaken(c);
  life_world *w = s->w;
  transfer *t = new_transfer(c, peer_of(c, c->rank), peer_of(c, to), buf, n), **at;
  t->eager = t->bytes <= w->eager;
  if (t->eager) {
    t->data = allocate(t->bytes);
    if (n) memcpy(t->data, buf, t->bytes);
  }
  told(t);
  enter(w);
  for (at = &w->posted[t->to].first; *at && !fits(t, *at);) at = &(*at)->next;
  transfer *recv = *at;
  if (recv) take_out(&w->posted[t->to], at);
  else append(&w->sent[t->to], t);
  pthread_cond_signal(&w->news[t->to]);   /* who may wait for any source */
  bool eager = t->eager;          /* once the lock is gone, t may be, too */
  if (recv && eager) {
    recv->message = t;
    recv->done = true;
  }
  leave(w);
  if (eager) return NULL;
  if (recv) {
    heard(recv);
    check_size(s, t, recv);
    if (n) memcpy(recv->data, buf, t->bytes);
    told(recv);
    t->done = true;
    set_done(w, recv, t->to);
  }
  return t;
}

static void take_message(const life_call *s, transfer *message, transfer *recv) {
  heard(message);
  check_size(s, message, recv);
  if (recv->bytes) memcpy(recv->data, message->data, recv->bytes);
  if (message->eager) {
    free(message->data);
    free(message);
  } else {
    int from = message->from;     /* after told() the message is the sender's again */
    told(message);
    set_done(s->w, message, from);
  }
}

static transfer *start_recv(coll_ctx *c, void *buf, size_t n, int from) {
  life_call *s = shaken(c);
  life_world *w = s->w;
  transfer *t = new_transfer(c, peer_of(c, from), peer_of(c, c->rank), buf, n), **at;
  told(t);
  enter(w);
  for (at = &w->sent[t->to].first; *at && !fits(*at, t);) at = &(*at)->next;
  transfer *message = *at;
  if (message) take_out(&w->sent[t->to], at);
  else append(&w->posted[t->to], t);
  leave(w);
  if (message) {
    take_message(s, message, t);
    t->done = true;
  }
  return t;
}

static void finish(coll_ctx *c, transfer *t) {
  life_call *s = c->self;
  if (!t) return;
  enter(s->w);
  while (!t->done) pthread_cond_wait(&s->w->news[peer_of(c, c->rank)], &s->w->lock);
  leave(s->w);
  heard(t);
  if (t->message) take_message(s, t->message, t);
  free(t);
}

static void op_send(coll_ctx *c, const void *buf, size_t n, int to) { finish(c, start_send(c, buf, n, to)); }
static void op_recv(coll_ctx *c, void *buf, size_t n, int from) { finish(c, start_recv(c, buf, n, from)); }

static void op_sendrecv(coll_ctx *c, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from) {
  transfer *recv = start_recv(c, rbuf, rn, from);
  op_send(c, sbuf, sn, to);
  finish(c, recv);
}

/* One of the sources whose message is there, drawn by lot. */
static transfer **any_of(life_call *s, transfer *recv) {
  transfer **found = NULL;
  unsigned sources = 0;
  for (transfer **at = &s->w->sent[recv->to].first; *at; at = &(*at)->next) {
    if (!fits(*at, recv)) continue;
    bool later = false;           /* messages of one source keep their order */
    for (transfer *t = s->w->sent[recv->to].first; t != *at; t = t->next) later |= fits(t, recv) && t->from == (*at)->from;
    if (!later && draw(s) % ++sources == 0) found = at;
  }
  return found;
}

static int op_recv_any(coll_ctx *c, void *buf, size_t n) {
  life_call *s = shaken(c);
  if (!(s->alg->flags & COLL_ANY_SOURCE)) give_up(s, "receives from any source; its descriptor must say COLL_ANY_SOURCE");
  transfer *t = new_transfer(c, -1, peer_of(c, c->rank), buf, n), **at;
  enter(s->w);
  while (!(at = any_of(s, t))) pthread_cond_wait(&s->w->news[t->to], &s->w->lock);
  transfer *message = *at;
  int from = message->from;
  take_out(&s->w->sent[t->to], at);
  leave(s->w);
  take_message(s, message, t);
  free(t);
  for (int i = 0; i < c->size; i++)
    if (peer_of(c, i) == from) return i;
  give_up(s, "a message from outside the group");
  return -1;
}

/* 0, no request, for an eager send: nothing is left to wait for. */
static coll_req requested(coll_ctx *c, transfer *t) {
  life_call *s = c->self;
  if (!t) return 0;
  int i = 0;
  while (i < s->requests && s->request[i]) i++;
  if (i == s->requests) {
    s->request = realloc(s->request, sizeof *s->request * (size_t)++s->requests);
    if (!s->request) abort();
  }
  s->request[i] = t;
  return i + 1;
}

static coll_req op_isend(coll_ctx *c, const void *buf, size_t n, int to) { return requested(c, start_send(c, buf, n, to)); }
static coll_req op_irecv(coll_ctx *c, void *buf, size_t n, int from) { return requested(c, start_recv(c, buf, n, from)); }

static void op_waitall(coll_ctx *c, int k, coll_req *reqs) {
  life_call *s = c->self;
  for (int i = 0; i < k; i++) {
    if (!reqs[i]) continue;
    finish(c, s->request[reqs[i] - 1]);
    s->request[reqs[i] - 1] = NULL;
    reqs[i] = 0;
  }
}

/* ---- local work ------------------------------------------------------------------------------------- */

static void op_reduce(coll_ctx *c, const void *left, void *right, size_t n) {
  life_call *s = shaken(c);
  values_apply(s->type, s->op, left, right, n);
}

static void op_copy(coll_ctx *c, void *dst, const void *src, size_t n) {
  if (dst != src && n) memcpy(dst, src, n * c->elem);
}

/* ---- segments --------------------------------------------------------------------------------------- */

/* Members open in the same order, so the oldest segment of this name that still lacks this member is the one. */
static segment *find_segment(life_world *w, const coll_ctx *c) {
  segment **at = &w->segments;
  for (; *at; at = &(*at)->next)
    if ((*at)->label == c->label && (*at)->leader == peer_of(c, 0) && (*at)->members == c->size && !(*at)->has[c->rank]) return *at;
  segment *g = *at = allocate(sizeof *g);
  *g = (segment){ .label = c->label, .leader = peer_of(c, 0), .members = c->size, .has = calloc((size_t)c->size, sizeof(bool)) };
  return g;
}

static coll_seg op_seg_open(coll_ctx *c, size_t n, int flags) {
  life_call *s = shaken(c);
  life_world *w = s->w;
  coll_seg mine = keep(s, sizeof *mine);
  mine->memory = shared_shape(n * c->elem, flags);
  pthread_mutex_lock(&w->lock);
  segment *g = find_segment(w, c);
  if (!g->block) {
    size_t bytes = shared_bytes(&mine->memory, c->size);
    g->block = allocate(bytes);
    memset(g->block, 0x5C, bytes);
    w->opened++;
  }
  g->has[c->rank] = true;
  shared_place(&mine->memory, g->block, c->rank);
  if (++g->opened == g->members)
    for (int r = 0; r < w->size; r++) pthread_cond_broadcast(&w->news[r]);
  while (g->opened < g->members) pthread_cond_wait(&w->news[peer_of(c, c->rank)], &w->lock);
  pthread_mutex_unlock(&w->lock);
  return mine;
}

static void op_seg_write(coll_ctx *c, coll_seg g, int home, size_t off, const void *src, size_t n) {
  shaken(c);
  shared_write(&g->memory, home, off * c->elem, src, n * c->elem);
}

static void op_seg_read(coll_ctx *c, coll_seg g, int home, size_t off, void *dst, size_t n) {
  shaken(c);
  shared_read(&g->memory, home, off * c->elem, dst, n * c->elem);
}

static void op_publish(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value) {
  shaken(c);
  shared_publish(&g->memory, home, flag, value);
}

/* Sixteen that spin would hardly leave those whom they wait for a core. */
static void let_others(void *c) {
  shaken(c);
  nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

static void op_await(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value) {
  shaken(c);
  shared_await(&g->memory, home, flag, value, let_others, c);
}

const coll_operations life_operations = {
  .send = op_send, .recv = op_recv, .sendrecv = op_sendrecv, .recv_any = op_recv_any, .isend = op_isend,
  .irecv = op_irecv, .waitall = op_waitall, .reduce = op_reduce, .copy = op_copy, .scratch = op_scratch, .keep = op_keep,
  .seg_open = op_seg_open, .seg_write = op_seg_write, .seg_read = op_seg_read, .publish = op_publish, .await = op_await,
};

/* ---- calls ------------------------------------------------------------------------------------------ */

life_call *life_open(life_world *w, int rank, const coll_operations *ops, const coll_alg *alg, const coll_args *args, plan_type type,
                     plan_op op) {
  life_call *s = allocate(sizeof *s);
  *s = (life_call){ .w = w, .alg = alg, .args = *args, .type = type, .op = op,
                    .random = (w->seed + 1) * 0x9E3779B97F4A7C15u + (uint64_t)rank * 0xBF58476D1CE4E5B9u };
  for (int l = 0; l < COLL_LEVELS; l++) coll_grouping_make(&s->levels[l], (coll_level)l, args->size, args->place);
  s->ctx = (coll_ctx){ .ops = ops, .self = s, .rank = rank, .size = args->size, .place = args->place, .levels = s->levels,
                       .elem = args->elem };
  if (alg->prepare) s->args.prepared = alg->prepare(&s->ctx, &s->args);
  return s;
}

void life_run(life_call *s) {
  int kept = s->blocks.blocks;
  s->alg->run(&s->ctx, &s->args);
  s->epoch++;
  release(s, kept);
  for (int i = 0; i < s->requests; i++)
    if (s->request[i]) give_up(s, "a request was not waited for");
}

/* Nothing may be left on its way, and nobody uses a segment any more. */
void life_close(life_call *s) {
  life_world *w = s->w;
  life_meet(w);
  int rank = s->ctx.rank;
  if (w->sent[rank].first || w->posted[rank].first) give_up(s, "a message was not received, or a receive got none");
  if (rank == 0)
    while (w->segments) {
      segment *g = w->segments;
      w->segments = g->next;
      free(g->has);
      free(g->block);
      free(g);
    }
  for (int l = 0; l < COLL_LEVELS; l++) coll_grouping_free(&s->levels[l]);
  release(s, 0);
  free(s->blocks.block);
  free(s->request);
  free(s);
  life_meet(w);
}
