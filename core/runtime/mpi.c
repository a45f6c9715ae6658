/* The operations over MPI: one text for smpicc and mpicc. */
#include "core/runtime/mpi.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalogue/collective.h"
#include "core/runtime/allocate.h"
#include "core/runtime/port.h"
#include "core/schedule/untouched.h"

/* Memory handed out in the order of the algorithm's requests. A call asks for the same sizes each time it runs, so from the
 * second run on nothing is allocated. */
typedef struct {
  void **block;
  size_t *bytes;
  int used, blocks;
} arena;

/* One outstanding message, or a part of a large one. */
typedef struct {
  MPI_Request request;
  coll_req next;
} slot; /* next: of the message's next part; almost always none */

struct coll_call {
  const coll_alg *alg;
  coll_args args;
  coll_ctx ctx;
  coll_grouping levels[COLL_LEVELS];
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Op op;
  slot *slots;                /* outstanding requests; coll_req is an index + 1 */
  int *idle, idles, capacity; /* stack of unused slots */
  arena scratch, keep;
  size_t
      fresh_from; /* bytes from which scratch is newly mapped in each call; SIZE_MAX: its first writing costs nothing */
  untouched untouched; /* of such scratch, and of `out` after coll_renew, by address */
  coll_seg *seg;
  int segs;
  coll_observer *observer; /* NULL: none */
  bool preparing;
  size_t large;          /* bytes from which messages have other tags */
  size_t synchronous[2]; /* bytes from which blocking and non-blocking sends are to wait for their receive */
  int tag;               /* of shorter messages of the whole group */
  int epoch, epochs;     /* only with COLL_ANY_SOURCE: see tag_of */
};

/* ---- memory ----------------------------------------------------------------------------------------- */

static void *take(arena *a, size_t bytes, bool data) {
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

static void clear(arena *a, bool data) {
  for (int i = 0; i < a->blocks; i++)
    if (data) port_release(a->block[i]);
    else free(a->block[i]);
  free(a->block);
  free(a->bytes);
}

static void *op_scratch(coll_ctx *c, size_t n) {
  coll_call *s = c->self;
  void *p = take(&s->scratch, n * c->elem, true);
  if (n * c->elem >= s->fresh_from && !s->preparing) untouched_add(&s->untouched, (uintptr_t)p, n * c->elem);
  return p;
}

/* The next operation writes these elements: the time is spent before it. */
static void will_write(const coll_ctx *c, const void *buf, size_t n) {
  coll_call *s = c->self;
  if (s->untouched.n) port_charge_first_touch(untouched_write(&s->untouched, (uintptr_t)buf, n * c->elem));
}

static void *op_keep(coll_ctx *c, size_t bytes) { return take(&((coll_call *)c->self)->keep, bytes, false); }

/* ---- messages --------------------------------------------------------------------------------------- */

static int peer_of(const coll_ctx *c, int rank) { return c->world ? c->world[rank] : rank; }

/* A receive from any source could take a message that a fast rank sent in its next call, so those algorithms count their
 * calls in the tag too. n: of this message, equal on both sides. */
enum { LABELS = 256, LARGE = COLL_COLLECTIVES * LABELS, TAGS = 8192 };
_Static_assert(2 * LARGE <= TAGS, "a collective has 256 labels, for messages of two classes");
static int tag_of(const coll_ctx *c, size_t n) {
  const coll_call *s = c->self;
  return s->tag + c->label + (n * c->elem < s->large ? 0 : LARGE);
}

/* Almost every message: one call of MPI. The others, of 2 GiB and more, go the long way. */
static bool is_ordinary(const coll_ctx *c, size_t n) { return n * c->elem <= INT_MAX; }

/* A large message goes in parts, and this is how many elements the next has where so many are left. SMPI puts sizes into an int, by
 * which it takes messages of 2 GiB for small ones; and those of a contiguous type, where an int cannot count elements, it packs into
 * memory of its own. */
static int part_of(const coll_ctx *c, size_t left) {
  size_t most = ((size_t)1 << 30) / c->elem;
  return (int)(left < most ? left : most);
}

/* By the call of MPI that waits for its receive, where the back-end's own would not. */
static bool waits(const coll_ctx *c, size_t n, bool nonblocking) {
  return n * c->elem >= ((const coll_call *)c->self)->synchronous[nonblocking];
}

static void send_part(coll_ctx *c, const void *buf, size_t n, int to) {
  coll_call *s = c->self;
  (waits(c, n, false) ? MPI_Ssend : MPI_Send)(buf, (int)n, s->type, peer_of(c, to), tag_of(c, n), s->comm);
}

static void isend_part(coll_ctx *c, const void *buf, size_t n, int to, MPI_Request *request) {
  coll_call *s = c->self;
  (waits(c, n, true) ? MPI_Issend : MPI_Isend)(buf, (int)n, s->type, peer_of(c, to), tag_of(c, n), s->comm, request);
}

static void send_large(coll_ctx *c, const void *buf, size_t n, int to) {
  for (size_t at = 0; at < n; at += (size_t)part_of(c, n - at)) {
    int k = part_of(c, n - at);
    send_part(c, coll_at(c, buf, at), (size_t)k, to);
  }
}

static void op_send(coll_ctx *c, const void *buf, size_t n, int to) {
  if (is_ordinary(c, n)) send_part(c, buf, n, to);
  else send_large(c, buf, n, to);
}

static void recv_large(coll_ctx *c, void *buf, size_t n, int from) {
  coll_call *s = c->self;
  for (size_t at = 0; at < n; at += (size_t)part_of(c, n - at)) {
    int k = part_of(c, n - at);
    MPI_Recv(coll_at(c, buf, at), k, s->type, peer_of(c, from), tag_of(c, (size_t)k), s->comm, MPI_STATUS_IGNORE);
  }
}

static void op_recv(coll_ctx *c, void *buf, size_t n, int from) {
  coll_call *s = c->self;
  will_write(c, buf, n);
  if (is_ordinary(c, n)) MPI_Recv(buf, (int)n, s->type, peer_of(c, from), tag_of(c, n), s->comm, MPI_STATUS_IGNORE);
  else recv_large(c, buf, n, from);
}

/* In c's group. */
static int rank_of(const coll_ctx *c, int peer) {
  const coll_call *s = c->self;
  if (!c->world) return peer;
  for (int i = 0; i < c->size; i++)
    if (c->world[i] == peer) return i;
  fprintf(stderr, "collscope: %s: a message from rank %d, which is not in the group\n", s->alg->key, peer);
  MPI_Abort(s->comm, 1);
  return -1;
}

static int op_recv_any(coll_ctx *c, void *buf, size_t n) {
  coll_call *s = c->self;
  if (!s->epochs) {
    fprintf(stderr, "collscope: %s receives from any source; its descriptor must say COLL_ANY_SOURCE\n", s->alg->key);
    MPI_Abort(s->comm, 1);
  }
  int k = is_ordinary(c, n) ? (int)n : part_of(c, n), from;
  MPI_Status status;
  will_write(c, buf, n);
  MPI_Recv(buf, k, s->type, MPI_ANY_SOURCE, tag_of(c, (size_t)k), s->comm, &status);
  from = rank_of(c, status.MPI_SOURCE);
  if ((size_t)k < n) recv_large(c, coll_at(c, buf, (size_t)k), n - (size_t)k, from);
  return from;
}

static void more_slots(coll_call *s) {
  int grown = s->capacity ? 2 * s->capacity : 16;
  s->slots = runtime_reallocate(s->slots, sizeof *s->slots * (size_t)grown);
  s->idle = runtime_reallocate(s->idle, sizeof *s->idle * (size_t)grown);
  for (int i = grown; i-- > s->capacity;) {
    s->slots[i].next = 0;
    s->idle[s->idles++] = i;
  }
  s->capacity = grown;
}

static coll_req take_slot(coll_call *s) {
  if (!s->idles) more_slots(s);
  return s->idle[--s->idles] + 1;
}

/* A slot for the next part of the message that began in slot r. */
static coll_req take_next(coll_call *s, coll_req r) {
  coll_req next = take_slot(s);
  return s->slots[r - 1].next = next;
}

static void isend_large(coll_ctx *c, const void *buf, size_t n, int to, coll_req r) {
  coll_call *s = c->self;
  for (size_t at = 0; at < n; at += (size_t)part_of(c, n - at)) {
    int k = part_of(c, n - at);
    if (at) r = take_next(s, r);
    isend_part(c, coll_at(c, buf, at), (size_t)k, to, &s->slots[r - 1].request);
  }
}

static coll_req op_isend(coll_ctx *c, const void *buf, size_t n, int to) {
  coll_call *s = c->self;
  coll_req r = take_slot(s);
  if (is_ordinary(c, n)) isend_part(c, buf, n, to, &s->slots[r - 1].request);
  else isend_large(c, buf, n, to, r);
  return r;
}

static void irecv_large(coll_ctx *c, void *buf, size_t n, int from, coll_req r) {
  coll_call *s = c->self;
  for (size_t at = 0; at < n; at += (size_t)part_of(c, n - at)) {
    int k = part_of(c, n - at);
    if (at) r = take_next(s, r);
    MPI_Irecv(coll_at(c, buf, at), k, s->type, peer_of(c, from), tag_of(c, (size_t)k), s->comm,
              &s->slots[r - 1].request);
  }
}

static coll_req op_irecv(coll_ctx *c, void *buf, size_t n, int from) {
  coll_call *s = c->self;
  will_write(c, buf, n);
  coll_req r = take_slot(s);
  if (is_ordinary(c, n))
    MPI_Irecv(buf, (int)n, s->type, peer_of(c, from), tag_of(c, n), s->comm, &s->slots[r - 1].request);
  else irecv_large(c, buf, n, from, r);
  return r;
}

/* of: the algorithm's requests that these belong to. An observer hears of each when it is through. */
static void wait_all(coll_call *s, int n, MPI_Request *wait, const coll_req *of) {
  if (s->observer)
    for (int left = n, i; left--; observe_done(s->observer, of[i])) MPI_Waitany(n, wait, &i, MPI_STATUS_IGNORE);
  else if (n == 1) MPI_Wait(wait, MPI_STATUS_IGNORE);
  else if (n) MPI_Waitall(n, wait, MPI_STATUSES_IGNORE);
}

static void op_waitall(coll_ctx *c, int k, coll_req *reqs) {
  coll_call *s = c->self;
  enum { BATCH = 64 };
  MPI_Request wait[BATCH];
  coll_req of[BATCH];
  int n = 0;
  for (int i = 0; i < k; i++) {
    for (coll_req r = reqs[i]; r;) {
      slot *done = &s->slots[r - 1];
      if (n == BATCH) {
        wait_all(s, n, wait, of);
        n = 0;
      }
      of[n] = reqs[i];
      wait[n++] = done->request;
      s->idle[s->idles++] = r - 1;
      r = done->next;
      done->next = 0;
    }
    reqs[i] = 0;
  }
  wait_all(s, n, wait, of);
}

static void op_sendrecv(coll_ctx *c, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from) {
  coll_call *s = c->self;
  bool ordinary = is_ordinary(c, sn) && is_ordinary(c, rn);
  if (ordinary && (waits(c, sn, true) || s->untouched.n)) {
    /* what MPI_Sendrecv does, with a send that waits, or with time spent between the two */
    coll_req both[2] = { op_isend(c, sbuf, sn, to) };
    both[1] = op_irecv(c, rbuf, rn, from);
    op_waitall(c, 2, both);
    return;
  }
  if (ordinary) {
    MPI_Sendrecv(sbuf, (int)sn, s->type, peer_of(c, to), tag_of(c, sn), rbuf, (int)rn, s->type, peer_of(c, from),
                 tag_of(c, rn), s->comm, MPI_STATUS_IGNORE);
    return;
  }
  coll_req r = op_irecv(c, rbuf, rn, from);
  op_send(c, sbuf, sn, to);
  op_waitall(c, 1, &r);
}

/* ---- local work ------------------------------------------------------------------------------------- */

static void op_reduce(coll_ctx *c, const void *left, void *right, size_t n) {
  coll_call *s = c->self;
  will_write(c, right, n);
  port_charge_reduce(n * c->elem);
  if (!port_holds_data()) return;
  for (size_t at = 0; at < n; at += (size_t)part_of(c, n - at))
    MPI_Reduce_local(coll_at(c, left, at), coll_at(c, right, at), part_of(c, n - at), s->type, s->op);
}

static void op_copy(coll_ctx *c, void *dst, const void *src, size_t n) {
  if (dst == src || n == 0) return;
  will_write(c, dst, n);
  port_charge_copy(n * c->elem);
  if (port_holds_data()) memcpy(dst, src, n * c->elem);
}

/* ---- segments --------------------------------------------------------------------------------------- */

static coll_seg op_seg_open(coll_ctx *c, size_t n, int flags) {
  coll_call *s = c->self;
  if (!s->preparing) {
    fprintf(stderr, "collscope: %s opens a segment outside prepare()\n", s->alg->key);
    MPI_Abort(s->comm, 1);
  }
  int *world = op_keep(c, sizeof(int) * (size_t)c->size);
  for (int i = 0; i < c->size; i++) world[i] = peer_of(c, i);
  s->seg = runtime_reallocate(s->seg, sizeof *s->seg * (size_t)(s->segs + 1));
  return s->seg[s->segs++] = port_seg_open(s->comm, tag_of(c, 0), world, c->size, c->rank, n * c->elem, flags);
}

static void *op_seg_part(coll_ctx *c, coll_seg g) { return port_seg_part(g, c->rank); }
static void op_seg_write(coll_ctx *c, coll_seg g, int home, size_t off, const void *src, size_t n) {
  port_seg_write(g, home, off * c->elem, src, n * c->elem);
}
static void op_seg_read(coll_ctx *c, coll_seg g, int home, size_t off, void *dst, size_t n) {
  will_write(c, dst, n);
  port_seg_read(g, home, off * c->elem, dst, n * c->elem);
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
  s->large = port_large_message();
  s->fresh_from = port_fresh_from();
  for (int nonblocking = 0; nonblocking < 2; nonblocking++) s->synchronous[nonblocking] = port_synchronous(nonblocking);
  s->tag = (int)alg->collective * LABELS;
  for (int l = 0; l < COLL_LEVELS; l++) coll_grouping_make(&s->levels[l], (coll_level)l, args->size, args->place);
  s->ctx = (coll_ctx){
    .ops = &operations, .self = s, .size = args->size, .place = args->place, .levels = s->levels, .elem = args->elem
  };
  MPI_Comm_rank(comm, &s->ctx.rank);
  if (alg->flags & COLL_ANY_SOURCE) {
    int *highest, known;
    MPI_Comm_get_attr(comm, MPI_TAG_UB, &highest, &known);
    s->epochs = ((known ? *highest : 32767) - TAGS + 1) / TAGS;
    MPI_Barrier(comm); /* nobody is still in an earlier call with the same epochs */
  }
  s->observer = observer;
  if (observer) observe_context(observer, &s->ctx);
  s->preparing = true;
  if (alg->prepare) s->args.prepared = alg->prepare(&s->ctx, &s->args);
  s->preparing = false;
  return s;
}

static void next_epoch(coll_call *s) {
  s->epoch = (s->epoch + 1) % s->epochs;
  s->tag = (int)s->alg->collective * LABELS + s->epoch * TAGS;
  if (!s->epoch) MPI_Barrier(s->comm);
}

void coll_renew(coll_call *s) {
  const coll_args *a = &s->args;
  coll_collective k = s->alg->collective;
  int rank = s->ctx.rank;
  size_t bytes = coll_has_output(k, a, rank) ? coll_result_count(k, a, rank) * a->elem : 0;
  if (s->fresh_from == SIZE_MAX || bytes < UNTOUCHED_PAGE) return;
  s->untouched.n = 0;
  untouched_add(&s->untouched, (uintptr_t)a->out, bytes);
  if (coll_has_input(k, a, rank)) untouched_write(&s->untouched, (uintptr_t)a->in, coll_in_count(k, a, rank) * a->elem);
}

void coll_run(coll_call *s) {
  /* What prepare() took lives until the call is closed; what run() takes is free again afterwards. */
  int kept = s->keep.used, scratched = s->scratch.used;
  s->alg->run(&s->ctx, &s->args);
  s->untouched.n = 0;
  s->keep.used = kept;
  s->scratch.used = scratched;
  if (s->epochs) next_epoch(s);
}

void coll_close(coll_call *s) {
  for (int i = s->segs; i-- > 0;) port_seg_close(s->seg[i]);
  for (int l = 0; l < COLL_LEVELS; l++) coll_grouping_free(&s->levels[l]);
  clear(&s->scratch, true);
  clear(&s->keep, false);
  untouched_free(&s->untouched);
  free(s->slots);
  free(s->idle);
  free(s->seg);
  free(s);
}
