/* The operations over MPI: one text for smpicc and mpicc. */
#include "core/runtime/mpi.h"

#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/runtime/allocate.h"
#include "core/runtime/cached_elsewhere.h"
#include "core/runtime/give_up.h"
#include "core/runtime/local.h"
#include "core/runtime/port.h"
#include "core/runtime/requests.h"
#include "core/schedule/byte_set.h"

/* Memory handed out in the order of the algorithm's requests. A call asks for the same sizes each time it runs, so from the
 * second run on nothing is allocated. */
typedef struct {
  void **block;
  size_t *bytes;
  int used, blocks;
} arena;

struct coll_call {
  const coll_alg *alg;
  coll_args args;
  coll_ctx ctx;
  coll_grouping levels[COLL_LEVELS];
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Op op;
  requests requests;
  arena scratch, keep;
  /* Bytes from which scratch is newly mapped in each call; SIZE_MAX: its first writing costs nothing. */
  size_t fresh_from;
  byte_set untouched;         /* of such scratch, and of `out` after coll_renew, by address */
  cached_elsewhere elsewhere; /* of all its buffers */
  coll_seg *seg;
  int segs;
  coll_observer *observer; /* NULL: none */
  bool preparing;
};

/* ---- memory ----------------------------------------------------------------------------------------- */

static void *arena_take(arena *a, size_t bytes, bool data) {
  if (a->used == a->blocks) {
    a->block = runtime_reallocate(a->block, sizeof *a->block * (size_t)(a->blocks + 1));
    a->bytes = runtime_reallocate(a->bytes, sizeof *a->bytes * (size_t)(a->blocks + 1));
    a->block[a->blocks] = NULL;
    a->bytes[a->blocks++] = 0;
  }
  int i = a->used++;
  if (!a->block[i] || a->bytes[i] < bytes) {
    if (data && a->block[i]) port_release(a->block[i]);
    else free(a->block[i]);
    a->block[i] = data ? port_alloc(bytes ? bytes : 1) : runtime_allocate(bytes);
    a->bytes[i] = bytes;
  }
  return a->block[i];
}

static void arena_clear(arena *a, bool data) {
  for (int i = 0; i < a->blocks; i++)
    if (data) port_release(a->block[i]);
    else free(a->block[i]);
  free(a->block);
  free(a->bytes);
}

static void *op_scratch(coll_ctx *c, size_t n) {
  coll_call *s = c->self;
  void *p = arena_take(&s->scratch, n * c->elem, true);
  if (n * c->elem >= s->fresh_from && !s->preparing) byte_set_add(&s->untouched, (uintptr_t)p, n * c->elem);
  return p;
}

/* The next operation writes these elements: the time is spent before it. */
static void will_write(const coll_ctx *c, const void *buf, size_t n) {
  coll_call *s = c->self;
  if (s->untouched.n) port_charge_first_touch(byte_set_remove(&s->untouched, (uintptr_t)buf, n * c->elem));
}

/* What the back-end charges for writing what another core's cache has, too; NULL: nothing. */
static cached_elsewhere *elsewhere_of(const coll_ctx *c) {
  cached_elsewhere *e = &((coll_call *)c->self)->elsewhere;
  return cached_elsewhere_counts(e) ? e : NULL;
}

static void *op_keep(coll_ctx *c, size_t bytes) { return arena_take(&((coll_call *)c->self)->keep, bytes, false); }

/* ---- messages --------------------------------------------------------------------------------------- */

static int peer_of(const coll_ctx *c, int rank) { return c->world ? c->world[rank] : rank; }

static requests *requests_of(const coll_ctx *c) { return &((coll_call *)c->self)->requests; }

static void will_send(const coll_ctx *c, const void *buf, size_t n, int to) {
  cached_elsewhere *e = elsewhere_of(c);
  if (e) cached_elsewhere_sent(e, buf, n * c->elem, peer_of(c, to));
}

static void op_send(coll_ctx *c, const void *buf, size_t n, int to) {
  will_send(c, buf, n, to);
  requests_send(requests_of(c), buf, n, peer_of(c, to), c->label);
}

static void op_recv(coll_ctx *c, void *buf, size_t n, int from) {
  cached_elsewhere *e = elsewhere_of(c);
  size_t back = e ? cached_elsewhere_received(e, buf, n * c->elem, peer_of(c, from)) : 0;
  will_write(c, buf, n);
  requests_recv(requests_of(c), buf, n, peer_of(c, from), c->label);
  if (back) port_charge_invalidation(back);
}

/* In c's group. */
static int rank_of(const coll_ctx *c, int peer) {
  const coll_call *s = c->self;
  if (!c->world) return peer;
  for (int i = 0; i < c->size; i++)
    if (c->world[i] == peer) return i;
  fprintf(stderr, "collscope: %s: a message from rank %d, which is not in the group\n", s->alg->key, peer);
  runtime_give_up(s->comm);
  return -1;
}

static int op_recv_any(coll_ctx *c, void *buf, size_t n) {
  coll_call *s = c->self;
  if (!s->requests.epochs) {
    fprintf(stderr, "collscope: %s receives from any source; its descriptor must say COLL_ANY_SOURCE\n", s->alg->key);
    runtime_give_up(s->comm);
  }
  will_write(c, buf, n);
  int from = requests_recv_any(&s->requests, buf, n, c->label);
  if (elsewhere_of(c)) port_charge_invalidation(cached_elsewhere_received(&s->elsewhere, buf, n * c->elem, from));
  return rank_of(c, from);
}

static coll_req op_isend(coll_ctx *c, const void *buf, size_t n, int to) {
  will_send(c, buf, n, to);
  return requests_isend(requests_of(c), buf, n, peer_of(c, to), c->label);
}

static coll_req op_irecv(coll_ctx *c, void *buf, size_t n, int from) {
  will_write(c, buf, n);
  coll_req request = requests_irecv(requests_of(c), buf, n, peer_of(c, from), c->label);
  cached_elsewhere *e = elsewhere_of(c);
  if (e) cached_elsewhere_receives(e, buf, n * c->elem, peer_of(c, from), request);
  return request;
}

static void op_waitall(coll_ctx *c, int k, coll_req *reqs) {
  coll_call *s = c->self;
  size_t back = elsewhere_of(c) ? cached_elsewhere_waited(&s->elsewhere, k, reqs) : 0;
  requests_waitall(&s->requests, k, reqs, s->observer);
  if (back) port_charge_invalidation(back);
}

static void op_sendrecv(coll_ctx *c, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from) {
  coll_call *s = c->self;
  requests *r = &s->requests;
  if (!s->untouched.n && !elsewhere_of(c)) {
    requests_sendrecv(r, sbuf, sn, peer_of(c, to), rbuf, rn, peer_of(c, from), c->label, s->observer);
  } else if (requests_is_ordinary(r, sn) && requests_is_ordinary(r, rn)) { /* with time spent between the two */
    coll_req both[2] = { op_isend(c, sbuf, sn, to) };
    both[1] = op_irecv(c, rbuf, rn, from);
    op_waitall(c, 2, both);
  } else {
    coll_req got = op_irecv(c, rbuf, rn, from);
    op_send(c, sbuf, sn, to);
    op_waitall(c, 1, &got);
  }
}

/* ---- local work ------------------------------------------------------------------------------------- */

static void op_reduce(coll_ctx *c, const void *left, void *right, size_t n) {
  coll_call *s = c->self;
  will_write(c, right, n);
  if (elsewhere_of(c)) cached_elsewhere_written(&s->elsewhere, right, n * c->elem);
  local_reduce(&s->requests, s->op, left, right, n);
}

static void op_copy(coll_ctx *c, void *dst, const void *src, size_t n) {
  if (dst == src || n == 0) return;
  will_write(c, dst, n);
  cached_elsewhere *e = elsewhere_of(c);
  if (e) cached_elsewhere_written(e, dst, n * c->elem);
  local_copy(dst, src, n * c->elem);
}

/* ---- segments --------------------------------------------------------------------------------------- */

static coll_seg op_seg_open(coll_ctx *c, size_t n, int flags) {
  coll_call *s = c->self;
  if (!s->preparing) {
    fprintf(stderr, "collscope: %s opens a segment outside prepare()\n", s->alg->key);
    runtime_give_up(s->comm);
  }
  int *world = op_keep(c, sizeof(int) * (size_t)c->size);
  for (int i = 0; i < c->size; i++) world[i] = peer_of(c, i);
  s->seg = runtime_reallocate(s->seg, sizeof *s->seg * (size_t)(s->segs + 1));
  return s->seg[s->segs++] = port_seg_open(s->comm, requests_tag(&s->requests, c->label, 0), world, c->size, c->rank,
                                           n * c->elem, flags);
}

static void *op_seg_part(coll_ctx *c, coll_seg g) { return port_seg_part(g, c->rank); }
static void op_seg_write(coll_ctx *c, coll_seg g, int home, size_t off, const void *src, size_t n) {
  port_seg_write(g, home, off * c->elem, src, n * c->elem);
}
static void op_seg_read(coll_ctx *c, coll_seg g, int home, size_t off, void *dst, size_t n) {
  will_write(c, dst, n);
  port_seg_read(g, home, off * c->elem, dst, n * c->elem);
  cached_elsewhere *e = elsewhere_of(c);
  if (e) cached_elsewhere_written(e, dst, n * c->elem);
}
static void op_publish(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value) {
  port_publish(g, home, flag, value);
}
static void op_await(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value) { port_await(g, home, flag, value); }

static const coll_operations operations = {
  .send = op_send,
  .recv = op_recv,
  .sendrecv = op_sendrecv,
  .recv_any = op_recv_any,
  .isend = op_isend,
  .irecv = op_irecv,
  .waitall = op_waitall,
  .reduce = op_reduce,
  .copy = op_copy,
  .scratch = op_scratch,
  .keep = op_keep,
  .seg_open = op_seg_open,
  .seg_part = op_seg_part,
  .seg_write = op_seg_write,
  .seg_read = op_seg_read,
  .publish = op_publish,
  .await = op_await,
};

/* ---- calls ------------------------------------------------------------------------------------------ */

coll_call *coll_open(MPI_Comm comm, const coll_alg *alg, const coll_args *args, MPI_Datatype type, MPI_Op op) {
  return coll_open_observed(comm, alg, args, type, op, NULL);
}

coll_call *coll_open_observed(MPI_Comm comm, const coll_alg *alg, const coll_args *args, MPI_Datatype type, MPI_Op op,
                              coll_observer *observer) {
  coll_call *s = runtime_allocate_zeroed(sizeof *s);
  s->alg = alg;
  s->args = *args;
  s->comm = comm;
  s->type = type;
  s->op = op;
  s->fresh_from = port_fresh_from();
  s->elsewhere = cached_elsewhere_make(args->place);
  for (int l = 0; l < COLL_LEVELS; l++) coll_grouping_make(&s->levels[l], (coll_level)l, args->size, args->place);
  s->ctx = (coll_ctx){
    .ops = &operations, .self = s, .size = args->size, .place = args->place, .levels = s->levels, .elem = args->elem
  };
  MPI_Comm_rank(comm, &s->ctx.rank);
  s->elsewhere.rank = s->ctx.rank;
  requests_open(&s->requests, comm, alg->collective, type, args->elem, alg->flags & COLL_ANY_SOURCE);
  s->observer = observer;
  if (observer) observe_context(observer, &s->ctx);
  s->preparing = true;
  if (alg->prepare) s->args.prepared = alg->prepare(&s->ctx, &s->args);
  s->preparing = false;
  return s;
}

void coll_renew(coll_call *s) {
  const coll_args *a = &s->args;
  coll_collective k = s->alg->collective;
  int rank = s->ctx.rank;
  s->elsewhere.bytes.n = 0; /* what is sent is written again, what is received into is newly mapped */
  size_t bytes = coll_has_output(k, a, rank) ? coll_result_count(k, a, rank) * a->elem : 0;
  if (s->fresh_from == SIZE_MAX || bytes < UNTOUCHED_PAGE) return;
  s->untouched.n = 0;
  byte_set_add(&s->untouched, (uintptr_t)a->out, bytes);
  if (coll_has_input(k, a, rank)) byte_set_remove(&s->untouched, (uintptr_t)a->in, coll_in_count(k, a, rank) * a->elem);
}

void coll_serve(coll_call *s, const void *in, void *out, bool in_place, MPI_Datatype type, MPI_Op op) {
  s->args.in = in;
  s->args.out = out;
  s->args.in_place = in_place;
  s->type = s->requests.type = type;
  s->op = op;
}

void coll_run(coll_call *s) {
  /* What prepare() took lives until the call is closed; what run() takes is free again afterwards. */
  int kept = s->keep.used, scratched = s->scratch.used;
  s->alg->run(&s->ctx, &s->args);
  s->untouched.n = 0;
  for (int i = scratched; i < s->scratch.used; i++)
    cached_elsewhere_forget(&s->elsewhere, s->scratch.block[i], s->scratch.bytes[i]);
  s->keep.used = kept;
  s->scratch.used = scratched;
  requests_next_call(&s->requests);
}

void coll_close(coll_call *s) {
  for (int i = s->segs; i-- > 0;) port_seg_close(s->seg[i]);
  for (int l = 0; l < COLL_LEVELS; l++) coll_grouping_free(&s->levels[l]);
  arena_clear(&s->scratch, true);
  arena_clear(&s->keep, false);
  byte_set_free(&s->untouched);
  cached_elsewhere_free(&s->elsewhere);
  requests_close(&s->requests);
  free(s->seg);
  free(s);
}
