#define _GNU_SOURCE
#include "tests/threads/broken.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "tests/threads/back_end.h"

/* ---- segments that order nothing -------------------------------------------------------------------- */

static void publish_relaxed(coll_ctx *c, coll_seg s, int home, int flag, uint64_t value) {
  atomic_store_explicit(shared_flag_of(&s->memory, home, flag), value, memory_order_relaxed);
}

static void await_relaxed(coll_ctx *c, coll_seg s, int home, int flag, uint64_t value) {
  while (atomic_load_explicit(shared_flag_of(&s->memory, home, flag), memory_order_relaxed) < value) usleep(10);
}

static void publish_nothing(coll_ctx *c, coll_seg s, int home, int flag, uint64_t value) {}
static void await_nothing(coll_ctx *c, coll_seg s, int home, int flag, uint64_t value) {}

/* ---- algorithms ------------------------------------------------------------------------------------- */

typedef struct {
  coll_seg seg;
  uint64_t call;
} state;

static void *prepare(coll_ctx *c, const coll_args *a) {
  state *s = coll_keep(c, sizeof *s);
  *s = (state){ .seg = coll_seg_open(c, a->count, 1) };
  return s;
}

/* An allgather whose parts are written again in the next call, whoever may still read them. */
static void reuse_too_early(coll_ctx *c, const coll_args *a) {
  state *s = a->prepared;
  s->call++;
  coll_seg_write(c, s->seg, c->rank, 0, a->in, a->count);
  coll_publish(c, s->seg, c->rank, 0, s->call);
  for (int r = 0; r < c->size; r++) {
    coll_await(c, s->seg, r, 0, s->call);
    coll_seg_read(c, s->seg, r, 0, coll_at(c, a->out, (size_t)r * a->count), a->count);
  }
}

/* How often ranks have come to a place of theirs. The sanitizer sees no order in it. */
static _Atomic unsigned passed[8];
static void pass(int rank) { atomic_fetch_add_explicit(&passed[rank], 1, memory_order_relaxed); }
static void wait_until_passed(int rank, unsigned times) {
  while (atomic_load_explicit(&passed[rank], memory_order_relaxed) < times) sched_yield();
}

/* Ranks 1 and 2 each tell rank 0 that they have written the same part: nothing orders them, though 2 comes later. */
static void common_friend(coll_ctx *c, const coll_args *a) {
  state *s = a->prepared;
  s->call++;
  if (c->rank == 0)
    for (int r = 1; r < 3; r++) coll_recv(c, NULL, 0, r);
  if (c->rank != 1 && c->rank != 2) return;
  if (c->rank == 2) wait_until_passed(1, (unsigned)s->call);
  coll_seg_write(c, s->seg, 0, 0, a->in, a->count);
  if (c->rank == 1) pass(1);
  coll_send(c, NULL, 0, 0);
}

/* A ring in which the block to send is overwritten before the send is done. */
static void buffer_in_use(coll_ctx *c, const coll_args *a) {
  void *block = coll_scratch(c, a->count);
  coll_copy(c, block, a->in, a->count);
  coll_req sent = coll_isend(c, block, a->count, (c->rank + 1) % c->size);
  memset(block, 0, a->count * c->elem);
  coll_recv(c, a->out, a->count, (c->rank + c->size - 1) % c->size);
  coll_wait(c, &sent);
}

/* Dissemination without its last round, of eight ranks: rank 3 hears nothing of rank 7, which comes to the second call when 3 has left it. */
static void hurried_barrier(coll_ctx *c, const coll_args *a) {
  pass(c->rank);
  for (int distance = 1; 2 * distance < c->size; distance *= 2)
    coll_sendrecv(c, NULL, 0, (c->rank + distance) % c->size, NULL, 0, (c->rank - distance + c->size) % c->size);
  if (c->rank == 7 && passed[7] == 1) wait_until_passed(3, 3);
}

/* Neighbours wait for each other's message before they send their own. */
static void deadlock(coll_ctx *c, const coll_args *a) {
  coll_recv(c, NULL, 0, c->rank ^ 1);
  coll_send(c, NULL, 0, c->rank ^ 1);
}

#define BROKEN(function, kind, prepare_) \
  static const coll_alg alg_##function = { .key = #function, .collective = kind, .prepare = prepare_, .run = function }
BROKEN(reuse_too_early, COLL_ALLGATHER, prepare);
BROKEN(common_friend, COLL_ALLGATHER, prepare);
BROKEN(buffer_in_use, COLL_ROTATION, NULL);
BROKEN(hurried_barrier, COLL_BARRIER, NULL);
BROKEN(deadlock, COLL_BARRIER, NULL);

bool broken_find(const char *name, broken_case *b) {
  static const struct {
    const char *name, *key;
    const coll_alg *alg;
    void (*publish)(coll_ctx *, coll_seg, int, int, uint64_t), (*await)(coll_ctx *, coll_seg, int, int, uint64_t);
  } cases[] = {
    { "barrier_publish_relaxed", .key = "barrier/hierarchical[shm=1]", .publish = publish_relaxed },
    { "barrier_await_relaxed", .key = "barrier/hierarchical[shm=1]", .await = await_relaxed },
    { "publish_relaxed", .key = "allgather/leaders[aggregate=shm]", .publish = publish_relaxed },
    { "await_relaxed", .key = "allgather/leaders[aggregate=shm]", .await = await_relaxed },
    { "await_nothing", .key = "allgather/leaders[aggregate=shm]", .await = await_nothing },
    { "part_publish_relaxed", .key = "allgather/leaders[aggregate=shm_in_place]", .publish = publish_relaxed },
    { "publish_nothing", .key = "allgather/leaders[aggregate=shm]", .publish = publish_nothing },
    { "reuse_too_early", .alg = &alg_reuse_too_early },
    { "common_friend", .alg = &alg_common_friend },
    { "buffer_in_use", .alg = &alg_buffer_in_use },
    { "hurried_barrier", .alg = &alg_hurried_barrier },
    { "deadlock", .alg = &alg_deadlock },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (!strcmp(cases[i].name, name)) {
      *b = (broken_case){ .alg = cases[i].alg, .key = cases[i].key, .ops = threads_operations };
      if (cases[i].publish) b->ops.publish = cases[i].publish;
      if (cases[i].await) b->ops.await = cases[i].await;
      return true;
    }
  return false;
}
