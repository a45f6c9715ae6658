/* Recording: see record.h. One rank after the other runs to its end, every operation is appended to its list, nothing
 * blocks. A rank that asks for a message from anyone leaves by siglongjmp when it is not known yet whose; it is run
 * again from the start, with the sources found so far, once the others have been played as far as they get without it.
 */
#include "record.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../patterns/block.h"

#define BUFFER_BITS 40
#define BUFFER_BYTES ((size_t)1 << BUFFER_BITS)
enum { BUFFERS = 3, SEGMENTS_MAX = 255 - REC_SEGMENT };
static const size_t most_ops = (size_t)1 << 27;          /* of a rank: an algorithm that records more loops for ever */

enum { STOP_SUSPENDED = 1, STOP_ERROR, STOP_FAULT };

typedef struct { size_t begin, end; } range;
typedef struct { char *block; size_t used, cap; } chunk;
typedef struct { chunk *chunks; int n, cap, now; } pool;  /* memory until the next recording; reused */

/* What every member of a segment must agree on, and how many have opened it. */
typedef struct { int label, members, nth, flags, opened, first_rank; size_t bytes; const int *world; } group;

struct coll_seg_state { rec_segment seg; int index, label, nth; };

typedef struct {
  int *source;
  int n, cap, at;
  bool done;
  int label, size;
  const int *world;
  bool seen;
} wish; /* of recv_any, a rank */

typedef struct {
  record record;                    /* first: what the caller sees */
  char *base;                       /* BUFFERS reservations in a row */
  int ranks;                        /* that the arrays below are made for */
  /* the rank being recorded */
  rec_rank *now;
  int rank;
  rec_layout layout;
  range *scratch;
  int scratches, scratch_cap, scratch_last;
  int pending;                      /* requests not waited for */
  bool preparing;
  sigjmp_buf leave;
  void *fault;
  /* of the whole recording */
  long param[COLL_PARAMS];
  coll_place *place;
  coll_grouping levels[COLL_LEVELS];
  coll_place *levels_place;         /* what levels were made from */
  int levels_size;
  pool keep, segments;
  group *groups;
  int group_cap;
  int *segment_cap;                 /* [ranks] */
  wish *wishes;                     /* [ranks] */
  unsigned seed;
} store;

/* Faults are a process's business, so this is the one variable of the process: who records at present. */
static struct { store *volatile current; bool handler; } life;

static void *grow(void *old, size_t bytes)
{
  void *p = realloc(old, bytes ? bytes : 1);
  if (!p) {
    fprintf(stderr, "collscope: out of memory (%zu bytes for a record)\n", bytes);
    abort();
  }
  return p;
}

static void *pool_take(pool *a, size_t bytes)
{
  bytes = (bytes + 15) / 16 * 16;
  for (; a->now < a->n; a->now++) {
    chunk *k = &a->chunks[a->now];
    if (k->cap - k->used >= bytes) return k->used += bytes, k->block + k->used - bytes;
  }
  if (a->n == a->cap) a->chunks = grow(a->chunks, sizeof *a->chunks * (size_t)(a->cap = a->cap ? 2 * a->cap : 4));
  size_t cap = a->n ? 2 * a->chunks[a->n - 1].cap : 1 << 16;
  if (cap < bytes) cap = bytes;
  a->chunks[a->n++] = (chunk){.block = grow(NULL, cap), .used = bytes, .cap = cap};
  return a->chunks[a->now].block;
}

static void pool_reset(pool *a)
{
  for (int i = 0; i < a->n; i++) a->chunks[i].used = 0;
  a->now = 0;
}

static void pool_free(pool *a)
{
  for (int i = 0; i < a->n; i++) free(a->chunks[i].block);
  free(a->chunks);
}

/* ---- saying what went wrong ------------------------------------------------------------------------- */

const char *record_kind_name(int kind)
{
  static const char *const names[] = {"send", "recv", "isend", "irecv", "recv_any", "wait", "reduce", "copy",
                                      "seg_write", "seg_read", "publish", "await"};
  return names[kind];
}

const char *record_buffer_name(int buf, char *text, size_t size)
{
  static const char *const names[] = {"in", "out", "scratch"};
  if (buf < REC_SEGMENT) snprintf(text, size, "%s", names[buf]);
  else snprintf(text, size, "segment %d", buf - REC_SEGMENT);
  return text;
}

__attribute__((format(printf, 2, 3), noreturn)) static void fail(store *s, const char *format, ...)
{
  char *error = s->record.error;
  size_t size = sizeof s->record.error;
  int n = snprintf(error, size, "rank %d: ", s->rank);
  va_list list;
  va_start(list, format);
  vsnprintf(error + n, size - (size_t)n, format, list);
  va_end(list);
  siglongjmp(s->leave, STOP_ERROR);
}

/* An algorithm that looks at its data ends here; so does one that follows a wild pointer. */
static void on_fault(int number, siginfo_t *info, void *context)
{
  store *s = life.current;
  if (!s) {
    signal(number, SIG_DFL);
    return;               /* not ours: the instruction faults again and the process ends as usual */
  }
  s->fault = info->si_addr;
  siglongjmp(s->leave, STOP_FAULT);
}

/* ---- addresses -------------------------------------------------------------------------------------- */

typedef struct { uint8_t buf; uint64_t off; } spot;

static size_t buffer_size(const store *s, int buf) { return buf < REC_SCRATCH ? s->layout.size[buf] : 0; }

/* Which buffer an address is in. An offset in the upper half of a reservation is really one before the start of the
 * next buffer. */
static bool locate(const store *s, const void *p, int *buf, int64_t *off)
{
  uintptr_t d = (uintptr_t)p - (uintptr_t)s->base;
  if (d >= BUFFERS * BUFFER_BYTES) return false;
  *buf = (int)(d >> BUFFER_BITS);
  *off = (int64_t)(d & (BUFFER_BYTES - 1));
  if (*off >= (int64_t)(BUFFER_BYTES / 2) && *buf + 1 < BUFFERS) { *off -= (int64_t)BUFFER_BYTES; ++*buf; }
  return true;
}

__attribute__((noreturn, cold)) static void outside(store *s, const char *who, const char *does, int buf, int64_t off,
                                                    size_t bytes, size_t size)
{
  char name[32];
  record_buffer_name(buf, name, sizeof name);
  if (buf == REC_IN && !s->layout.has_in && !s->layout.size[REC_IN])
    fail(s, "%s %s in, which is NULL at this rank", who, does);
  if (buf == REC_OUT && !s->layout.has_out && !s->layout.size[REC_OUT])
    fail(s, "%s %s out, which is NULL at this rank", who, does);
  if (off < 0)
    fail(s, "%s %s %lld byte%s before the start of %s", who, does, (long long)-off, off == -1 ? "" : "s", name);
  size_t past = (size_t)off + bytes - size;
  fail(s, "%s %s %zu byte%s past the end of %s (bytes %zu to %zu of %zu)", who, does, past, past == 1 ? "" : "s", name,
       (size_t)off, (size_t)off + bytes, size);
}

static spot resolve(store *s, const void *p, size_t bytes, const char *who, bool writes)
{
  if (!bytes) return (spot){REC_SCRATCH, 0};
  const char *does = writes ? "writes" : "reads";
  int buf = 0;
  int64_t off = 0;
  if (!locate(s, p, &buf, &off)) {
    if ((uintptr_t)p < ((uintptr_t)1 << 32))    /* NULL, or an element of an array that is NULL here */
      fail(s, "%s %s a buffer that is NULL at this rank (%s)", who, does,
           !s->layout.has_in ? "in" : !s->layout.has_out ? "out" : "neither in nor out");
    fail(s, "%s %s memory that is neither in, out nor scratch", who, does);
  }
  if (buf == REC_SCRATCH) {
    int i = s->scratch_last;
    if (i >= s->scratches || off < (int64_t)s->scratch[i].begin || off >= (int64_t)s->scratch[i].end)
      for (i = s->scratches - 1; i >= 0 && off < (int64_t)s->scratch[i].begin;) i--;
    if (i < 0) fail(s, "%s %s scratch that it has not asked for", who, does);
    s->scratch_last = i;
    size_t begin = s->scratch[i].begin, end = s->scratch[i].end;
    if (bytes > end - begin || (size_t)off + bytes > end) {
      if ((size_t)off >= end + 64 || off < 0) fail(s, "%s %s scratch that it has not asked for", who, does);
      outside(s, who, does, buf, off - (int64_t)begin, bytes, end - begin);
    }
  } else {
    size_t size = buffer_size(s, buf);
    if (off < 0 || bytes > size || (size_t)off > size - bytes) outside(s, who, does, buf, off, bytes, size);
    if (writes && buf == REC_IN &&
        !(s->layout.in_place && s->layout.out_buf == REC_IN && (size_t)off >= s->layout.out_off &&
          (size_t)off + bytes <= s->layout.out_off + s->layout.out_bytes))
      fail(s, "%s writes into in (bytes %lld to %lld), which must not change", who, (long long)off,
           (long long)off + (long long)bytes);
  }
  return (spot){(uint8_t)buf, (uint64_t)off};
}

/* ---- operations ------------------------------------------------------------------------------------- */

static rec_op *append(store *s)
{
  rec_rank *k = s->now;
  if (k->n == k->cap) {
    /* Ranks do much the same: the last one's length is a good guess. */
    size_t guess = s->rank ? s->record.rank[s->rank - 1].n + 8 : 64;
    size_t cap = k->cap ? 2 * k->cap : guess < 64 ? 64 : guess;
    if (cap > most_ops) fail(s, "records more than %zu operations; does it loop for ever?", most_ops / 2);
    k->op = grow(k->op, sizeof *k->op * cap);
    k->cap = cap;
  }
  return &k->op[k->n++];
}

static int peer_of(store *s, const coll_ctx *c, int rank, const char *who)
{
  if (rank < 0 || rank >= c->size) fail(s, "%s names rank %d of a group of %d", who, rank, c->size);
  return c->world ? c->world[rank] : rank;
}

static size_t bytes_of(store *s, const coll_ctx *c, size_t n, const char *who)
{
  if (n > BUFFER_BYTES / 2 / c->elem) fail(s, "%s of %zu elements: more than a buffer can hold", who, n);
  return n * c->elem;
}

static void message(store *s, coll_ctx *c, rec_kind kind, const void *buf, size_t n, int other, const char *who)
{
  size_t bytes = bytes_of(s, c, n, who);
  int peer = peer_of(s, c, other, who);
  spot at = resolve(s, buf, bytes, who, kind == REC_RECV || kind == REC_IRECV || kind == REC_RECV_ANY);
  *append(s) = (rec_op){
      .kind = (uint8_t)kind, .buf = at.buf, .label = (uint8_t)c->label, .peer = peer, .off = at.off, .bytes = bytes};
}

static void op_send(coll_ctx *c, const void *buf, size_t n, int to)
{ message(c->self, c, REC_SEND, buf, n, to, "send"); }
static void op_recv(coll_ctx *c, void *buf, size_t n, int from) { message(c->self, c, REC_RECV, buf, n, from, "recv"); }

static coll_req op_isend(coll_ctx *c, const void *buf, size_t n, int to)
{
  store *s = c->self;
  message(s, c, REC_ISEND, buf, n, to, "isend");
  s->pending++;
  return (coll_req)s->now->n;
}

static coll_req op_irecv(coll_ctx *c, void *buf, size_t n, int from)
{
  store *s = c->self;
  message(s, c, REC_IRECV, buf, n, from, "irecv");
  s->pending++;
  return (coll_req)s->now->n;
}

/* more: waits of the same call that follow. */
static void wait_for(store *s, coll_req req, size_t more)
{
  rec_rank *k = s->now;
  if (req < 0 || (size_t)req > k->n) fail(s, "waits for %d, which is no request", req);
  rec_op *posted = &k->op[req - 1];
  if (posted->kind != REC_ISEND && posted->kind != REC_IRECV) fail(s, "waits for %d, which is no request", req);
  if (posted->off2) fail(s, "waits twice for the same %s", record_kind_name(posted->kind));
  posted->off2 = k->n;                  /* before append: that may move the list */
  s->pending--;
  *append(s) = (rec_op){.kind = REC_WAIT, .peer = req - 1, .bytes = more};
}

static void op_waitall(coll_ctx *c, int n, coll_req *reqs)
{
  size_t more = 0;
  for (int i = 0; i < n; i++) more += reqs[i] != 0;
  for (int i = 0; i < n; i++) {
    if (reqs[i]) wait_for(c->self, reqs[i], --more);
    reqs[i] = 0;
  }
}

/* Both are posted, then both are waited for. */
static void op_sendrecv(coll_ctx *c, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from)
{
  store *s = c->self;
  message(s, c, REC_ISEND, sbuf, sn, to, "sendrecv");
  coll_req sending = (coll_req)s->now->n;
  message(s, c, REC_IRECV, rbuf, rn, from, "sendrecv");
  coll_req receiving = (coll_req)s->now->n;
  s->pending += 2;
  wait_for(s, sending, 1);
  wait_for(s, receiving, 0);
}

static int op_recv_any(coll_ctx *c, void *buf, size_t n)
{
  store *s = c->self;
  if (!(s->record.alg->flags & COLL_ANY_SOURCE)) fail(s, "recv_any, but the descriptor does not say COLL_ANY_SOURCE");
  wish *w = &s->wishes[s->rank];
  if (w->at == w->n) {
    w->label = c->label;
    w->size = c->size;
    w->world = c->world;
    siglongjmp(s->leave, STOP_SUSPENDED);
  }
  int source = w->source[w->at++], from = source;
  if (c->world)
    for (from = 0; from < c->size && c->world[from] != source;) from++;
  if (from >= c->size) fail(s, "recv_any finds a message from rank %d, which is not in the group", source);
  message(s, c, REC_RECV_ANY, buf, n, from, "recv_any");
  return from;
}

static void op_reduce(coll_ctx *c, const void *left, void *right, size_t n)
{
  store *s = c->self;
  if (!n) return;
  size_t bytes = bytes_of(s, c, n, "reduce");
  spot l = resolve(s, left, bytes, "reduce", false), r = resolve(s, right, bytes, "reduce", true);
  if (l.buf == r.buf && l.off < r.off + bytes && r.off < l.off + bytes) fail(s, "reduce with operands that overlap");
  *append(s) = (rec_op){.kind = REC_REDUCE, .buf = l.buf, .buf2 = r.buf, .off = l.off, .off2 = r.off, .bytes = bytes};
}

static void op_copy(coll_ctx *c, void *dst, const void *src, size_t n)
{
  store *s = c->self;
  if (!n || dst == src) return;
  size_t bytes = bytes_of(s, c, n, "copy");
  spot from = resolve(s, src, bytes, "copy", false), to = resolve(s, dst, bytes, "copy", true);
  if (from.buf == to.buf && from.off < to.off + bytes && to.off < from.off + bytes)
    fail(s, "copy between places that overlap");
  *append(s) =
      (rec_op){.kind = REC_COPY, .buf = from.buf, .buf2 = to.buf, .off = from.off, .off2 = to.off, .bytes = bytes};
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static void *op_scratch(coll_ctx *c, size_t n)
{
  store *s = c->self;
  if (n > BUFFER_BYTES / 4 / c->elem) fail(s, "asks for scratch of %zu elements", n);
  size_t begin = s->now->scratch, end = begin + n * c->elem;
  if (end > BUFFER_BYTES / 2 - 128) fail(s, "asks for more scratch than a buffer can hold");
  if (s->scratches == s->scratch_cap)
    s->scratch =
        grow(s->scratch, sizeof *s->scratch * (size_t)(s->scratch_cap = s->scratch_cap ? 2 * s->scratch_cap : 16));
  s->scratch[s->scratches++] = (range){begin, end};
  s->now->scratch = (end + 64) / 64 * 64;      /* at least a byte between two: running over is always seen */
  return s->base + REC_SCRATCH * BUFFER_BYTES + begin;
}

static void *op_keep(coll_ctx *c, size_t bytes)
{
  store *s = c->self;
  void *p = pool_take(&s->keep, bytes);
  memset(p, 0xA5, bytes);
  return p;
}

/* ---- segments --------------------------------------------------------------------------------------- */

static int group_find(store *s, const struct coll_seg_state *g)
{
  const rec_segment *w = &g->seg;
  int n = s->record.segment_groups;
  for (int i = 0; i < n; i++) {
    group *h = &s->groups[i];
    if (h->label != g->label || h->nth != g->nth || h->members != w->members ||
        memcmp(h->world, w->world, sizeof(int) * (size_t)w->members)) continue;
    if (h->bytes != w->bytes || h->flags != w->flags)
      fail(s, "opens a segment of %zu bytes and %d flags where rank %d has %zu bytes and %d flags", w->bytes, w->flags,
           h->first_rank, h->bytes, h->flags);
    return i;
  }
  if (n == s->group_cap) s->groups = grow(s->groups, sizeof *s->groups * (size_t)(s->group_cap = n ? 2 * n : 16));
  s->groups[n] = (group){.label = g->label, .members = w->members, .nth = g->nth, .flags = w->flags, .bytes = w->bytes,
                         .world = w->world, .first_rank = s->rank};
  s->record.segment_groups++;
  return n;
}

static coll_seg op_seg_open(coll_ctx *c, size_t n, int flags)
{
  store *s = c->self;
  record *r = &s->record;
  if (!(r->alg->flags & COLL_SEGMENTS)) fail(s, "seg_open, but the descriptor does not say COLL_SEGMENTS");
  if (!s->preparing) fail(s, "seg_open in run(); segments are opened in prepare()");
  int k = r->segments[s->rank];
  if (k == SEGMENTS_MAX) fail(s, "opens more than %d segments", SEGMENTS_MAX);
  if (flags < 0) fail(s, "seg_open with %d flags", flags);
  for (int i = 1; i < c->size; i++)
    if (c->place[i].node != c->place[0].node) fail(s, "seg_open in a group that spans nodes");
  int *world = pool_take(&s->segments, sizeof *world * (size_t)c->size);
  for (int i = 0; i < c->size; i++) world[i] = c->world ? c->world[i] : i;
  coll_seg g = pool_take(&s->segments, sizeof *g);
  *g = (struct coll_seg_state){.seg = {.members = c->size, .bytes = n * c->elem, .flags = flags, .world = world},
                               .index = k,
                               .label = c->label};
  /* The group's n-th segment here is the group's n-th segment everywhere. */
  for (int i = 0; i < k; i++) {
    const group *h = &s->groups[r->segment[s->rank][i].group];
    g->nth +=
        h->label == g->label && h->members == c->size && !memcmp(h->world, world, sizeof *world * (size_t)c->size);
  }
  g->seg.group = group_find(s, g);
  if (k == s->segment_cap[s->rank])
    r->segment[s->rank] =
        grow(r->segment[s->rank], sizeof **r->segment * (size_t)(s->segment_cap[s->rank] = k ? 2 * k : 4));
  r->segment[s->rank][k] = g->seg;
  r->segments[s->rank] = k + 1;
  return g;
}

/* The home's rank in the outermost group. */
static int home_of(store *s, const coll_ctx *c, const struct coll_seg_state *g, int home, const char *who)
{
  int world = peer_of(s, c, home, who);
  if (home < g->seg.members && g->seg.world[home] == world) return world;
  for (int i = 0; i < g->seg.members; i++)
    if (g->seg.world[i] == world) return world;
  fail(s, "%s names rank %d, which is no member of the segment", who, world);
}

static void part_range(store *s, const struct coll_seg_state *g, size_t off, size_t bytes, const char *who,
                       const char *does)
{
  if (bytes > g->seg.bytes || off > g->seg.bytes - bytes)
    fail(s, "%s %s %zu bytes past the end of its part of segment %d (bytes %zu to %zu of %zu)", who, does,
         off + bytes - g->seg.bytes, g->index, off, off + bytes, g->seg.bytes);
}

static void op_seg_write(coll_ctx *c, coll_seg g, int home, size_t off, const void *src, size_t n)
{
  store *s = c->self;
  if (!n) return;
  size_t bytes = bytes_of(s, c, n, "seg_write");
  spot from = resolve(s, src, bytes, "seg_write", false);
  int peer = home_of(s, c, g, home, "seg_write");
  part_range(s, g, off * c->elem, bytes, "seg_write", "writes");
  *append(s) = (rec_op){.kind = REC_WRITE, .buf = from.buf, .buf2 = (uint8_t)(REC_SEGMENT + g->index), .peer = peer,
                        .off = from.off, .off2 = off * c->elem, .bytes = bytes};
}

static void op_seg_read(coll_ctx *c, coll_seg g, int home, size_t off, void *dst, size_t n)
{
  store *s = c->self;
  if (!n) return;
  size_t bytes = bytes_of(s, c, n, "seg_read");
  spot to = resolve(s, dst, bytes, "seg_read", true);
  int peer = home_of(s, c, g, home, "seg_read");
  part_range(s, g, off * c->elem, bytes, "seg_read", "reads");
  *append(s) = (rec_op){.kind = REC_READ, .buf = (uint8_t)(REC_SEGMENT + g->index), .buf2 = to.buf, .peer = peer,
                        .off = off * c->elem, .off2 = to.off, .bytes = bytes};
}

static void flag_op(store *s, coll_ctx *c, rec_kind kind, coll_seg g, int home, int flag, uint64_t value,
                    const char *who)
{
  int peer = home_of(s, c, g, home, who);
  if (flag < 0 || flag >= g->seg.flags) fail(s, "%s names flag %d of %d", who, flag, g->seg.flags);
  *append(s) = (rec_op){.kind = (uint8_t)kind,
                        .buf = (uint8_t)(REC_SEGMENT + g->index),
                        .peer = peer,
                        .off = (uint64_t)flag,
                        .off2 = value};
}

static void op_publish(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value)
{ flag_op(c->self, c, REC_PUBLISH, g, home, flag, value, "publish"); }
static void op_await(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value)
{ flag_op(c->self, c, REC_AWAIT, g, home, flag, value, "await"); }

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
    .seg_write = op_seg_write,
    .seg_read = op_seg_read,
    .publish = op_publish,
    .await = op_await,
};

/* ---- buffers ---------------------------------------------------------------------------------------- */

rec_layout record_layout(coll_collective k, const coll_args *a, int rank)
{
  rec_layout l = {.in_buf = REC_IN, .out_buf = REC_OUT};
  bool at_root = !coll_has_root(k) || rank == a->root;
  size_t block = a->count * a->elem;
  l.has_in = k != COLL_BARRIER && (k != COLL_SCATTER || at_root);
  l.has_out = k != COLL_BARRIER && ((k != COLL_REDUCE && k != COLL_GATHER) || at_root);
  l.in_bytes = coll_in_count(k, a, rank) * a->elem;
  l.out_bytes = coll_out_count(k, a, rank) * a->elem;
  /* Whatever the size that is asked for, the result of these two is one block; in place it is what is left at the
   * start. */
  if (k == COLL_REDUCE_SCATTER) l.out_bytes = coll_block(a->count, a->size, rank).count * a->elem;
  if (k == COLL_REDUCE_SCATTER_BLOCK) l.out_bytes = block;
  switch (k) {
    case COLL_BCAST: l.in_place = true; break;
    case COLL_SCATTER: case COLL_GATHER: case COLL_REDUCE: l.in_place = a->in_place && at_root; break;
    case COLL_BARRIER: case COLL_EXSCAN: break;
    default: l.in_place = a->in_place;
  }
  if (l.in_place) {
    if (k == COLL_SCATTER) l.out_buf = REC_IN, l.out_off = (size_t)rank * block;
    else l.in_buf = REC_OUT;
    if (k == COLL_GATHER || k == COLL_ALLGATHER) l.in_off = (size_t)rank * block;
  }
  if (l.has_in && l.size[l.in_buf] < l.in_off + l.in_bytes) l.size[l.in_buf] = l.in_off + l.in_bytes;
  if (l.has_out && l.size[l.out_buf] < l.out_off + l.out_bytes) l.size[l.out_buf] = l.out_off + l.out_bytes;
  return l;
}

/* ---- arrival order ---------------------------------------------------------------------------------- */

/* How far the ranks get with what is recorded so far, each send waiting for its receive. Then every message that has
 * been posted and not been received is one that a suspended recv_any may be given. A channel is a source, a
 * destination and a label; its k-th send belongs to its k-th receive, so counting is enough. */
typedef struct { uint64_t key; size_t sent, received; } channel;
typedef struct {
  channel *slot;
  size_t slots, used;
  size_t *at;              /* [ranks] the operation each rank is at */
  bool *posted;            /* [ranks] … has been posted already */
  uint32_t **seq;          /* [ranks][op] place of a message in its channel */
  uint64_t **flag;         /* [segment groups][members · flags] */
} player;

static channel *channel_of(player *y, int src, int dst, int label)
{
  uint64_t key = 1 + (((uint64_t)src << 32 | (uint64_t)dst << 8) ^ (uint64_t)label);
  for (size_t h = key * 0x9E3779B97F4A7C15u >> 20;; h++) {
    channel *k = &y->slot[h & (y->slots - 1)];
    if (k->key == key) return k;
    if (k->key) continue;
    if (2 * y->used < y->slots) {
      y->used++;
      k->key = key;
      return k;
    }
    channel *old = y->slot;
    size_t n = y->slots;
    y->slots *= 2;
    y->slot = grow(NULL, sizeof *y->slot * y->slots);
    memset(y->slot, 0, sizeof *y->slot * y->slots);
    y->used = 0;
    for (size_t i = 0; i < n; i++)
      if (old[i].key)
        for (size_t g = old[i].key * 0x9E3779B97F4A7C15u >> 20;; g++)
          if (!y->slot[g & (y->slots - 1)].key) { y->slot[g & (y->slots - 1)] = old[i]; y->used++; break; }
    free(old);
    return channel_of(y, src, dst, label);
  }
}

static bool is_send(int kind) { return kind == REC_SEND || kind == REC_ISEND; }

static channel *op_channel(player *y, int rank, const rec_op *o)
{
  return is_send(o->kind) ? channel_of(y, rank, o->peer, o->label) : channel_of(y, o->peer, rank, o->label);
}

static bool complete(player *y, int rank, const rec_op *o, size_t index)
{
  const channel *k = op_channel(y, rank, o);
  return (is_send(o->kind) ? k->received : k->sent) > y->seq[rank][index];
}

static uint64_t *flag_of(const record *r, player *y, int rank, const rec_op *o)
{
  const rec_segment *g = &r->segment[rank][o->buf - REC_SEGMENT];
  int home = 0;
  while (g->world[home] != o->peer) home++;
  if (!y->flag[g->group]) {
    size_t bytes = sizeof(uint64_t) * (size_t)g->members * (size_t)g->flags;
    y->flag[g->group] = memset(grow(NULL, bytes), 0, bytes);
  }
  return &y->flag[g->group][home * g->flags + (int)o->off];
}

/* Plays one rank until it blocks. Returns whether it got anywhere. */
static bool play(const record *r, player *y, int rank)
{
  const rec_rank *k = &r->rank[rank];
  size_t before = y->at[rank];
  bool posted_before = y->posted[rank];
  for (; y->at[rank] < k->n; y->at[rank]++, y->posted[rank] = false) {
    size_t i = y->at[rank];
    const rec_op *o = &k->op[i];
    if (o->kind <= REC_RECV_ANY) {
      if (!y->posted[rank]) {
        channel *c = op_channel(y, rank, o);
        y->seq[rank][i] = (uint32_t)(is_send(o->kind) ? c->sent++ : c->received++);
        y->posted[rank] = true;
      }
      if (o->kind != REC_ISEND && o->kind != REC_IRECV && !complete(y, rank, o, i)) break;
    } else if (o->kind == REC_WAIT) {
      if (!complete(y, rank, &k->op[o->peer], (size_t)o->peer)) break;
    } else if (o->kind == REC_PUBLISH) {
      uint64_t *f = flag_of(r, y, rank, o);
      if (*f < o->off2) *f = o->off2;
    } else if (o->kind == REC_AWAIT && *flag_of(r, y, rank, o) < o->off2) break;
  }
  return y->at[rank] > before || y->posted[rank] != posted_before;
}

static uint64_t mix(uint64_t x)
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

/* Gives every suspended rank that has messages to choose from one of them. Returns how many it could serve. */
static int choose_sources(store *s)
{
  record *r = &s->record;
  int p = r->args.size, served = 0;
  size_t ranks = (size_t)p;
  player y = {.slots = 256};
  y.slot = memset(grow(NULL, sizeof *y.slot * y.slots), 0, sizeof *y.slot * y.slots);
  y.at = memset(grow(NULL, sizeof *y.at * ranks), 0, sizeof *y.at * ranks);
  y.posted = memset(grow(NULL, ranks), 0, ranks);
  y.seq = grow(NULL, sizeof *y.seq * ranks);
  for (int i = 0; i < p; i++) y.seq[i] = grow(NULL, sizeof **y.seq * r->rank[i].n);
  size_t groups = sizeof *y.flag * (size_t)(r->segment_groups + 1);
  y.flag = memset(grow(NULL, groups), 0, groups);
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < p; i++) moved |= play(r, &y, i);
  }
  for (int i = 0; i < p; i++) {
    wish *w = &s->wishes[i];
    if (w->done || y.at[i] < r->rank[i].n) continue;
    int candidates = 0, pick = -1;
    for (int pass = 0; pass < 2; pass++) {
      int seen = 0;
      for (int m = 0; m < w->size; m++) {
        int from = w->world ? w->world[m] : m;
        channel *c = channel_of(&y, from, i, w->label);
        if (c->sent > c->received && seen++ == pick) { w->source[w->n++] = from; served++; }
      }
      if (pass || !seen) break;
      candidates = seen;
      pick = (int)(mix(mix(s->seed) ^ mix((uint64_t)i << 32 | (uint64_t)w->n)) % (uint64_t)candidates);
      if (w->n == w->cap) w->source = grow(w->source, sizeof *w->source * (size_t)(w->cap = w->cap ? 2 * w->cap : 8));
    }
    if (candidates > 1) r->chose = true;
  }
  for (int i = 0; i < p; i++) free(y.seq[i]);
  for (int i = 0; i < r->segment_groups; i++) free(y.flag[i]);
  free(y.seq);
  free(y.flag);
  free(y.slot);
  free(y.at);
  free(y.posted);
  return served;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static void run_rank(store *s, int rank)
{
  record *r = &s->record;
  rec_rank *k = &r->rank[rank];
  s->rank = rank;
  s->now = k;
  k->n = k->scratch = 0;
  r->segments[rank] = 0;
  s->scratches = s->scratch_last = s->pending = 0;
  s->wishes[rank].at = 0;
  s->layout = record_layout(r->alg->collective, &r->args, rank);
  const rec_layout *l = &s->layout;
  coll_args a = r->args;
  a.in = l->has_in ? s->base + (size_t)l->in_buf * BUFFER_BYTES + l->in_off : NULL;
  a.out = l->has_out ? s->base + (size_t)l->out_buf * BUFFER_BYTES + l->out_off : NULL;
  coll_ctx c = {.ops = &operations,
                .self = s,
                .rank = rank,
                .size = a.size,
                .place = a.place,
                .levels = s->levels,
                .elem = a.elem};
  s->preparing = true;
  if (r->alg->prepare) a.prepared = r->alg->prepare(&c, &a);
  s->preparing = false;
  if (k->n) fail(s, "prepare() communicates or moves data");
  for (int call = 0; call < r->calls; call++) {
    k->start[call] = k->n;
    coll_args once = a;
    coll_ctx again = c;
    r->alg->run(&again, &once);
    if (s->pending)
      fail(s, "run() returns with %d request%s that nobody has waited for", s->pending, s->pending == 1 ? "" : "s");
  }
  k->start[r->calls] = k->n;
  s->wishes[rank].done = true;
}

static void make_rank(store *s, int rank)
{
  switch (sigsetjmp(s->leave, 0)) {
    case 0: run_rank(s, rank); break;
    case STOP_FAULT: {
      int buf = 0;
      int64_t off = 0;
      char name[32];
      if (locate(s, s->fault, &buf, &off))
        snprintf(s->record.error, sizeof s->record.error,
                 "rank %d: looks at the data itself (byte %lld of %s); only operations may", s->rank, (long long)off,
                 record_buffer_name(buf, name, sizeof name));
      else
        snprintf(s->record.error, sizeof s->record.error, "rank %d: reads or writes address %p, which is not its own",
                 s->rank, s->fault);
    }
  }
}

static void sized(store *s, int p)
{
  if (p <= s->ranks) return;
  size_t n = (size_t)p, old = (size_t)s->ranks;
  record *r = &s->record;
  r->rank = grow(r->rank, sizeof *r->rank * n);
  memset(r->rank + old, 0, sizeof *r->rank * (n - old));
  r->segment = grow(r->segment, sizeof *r->segment * n);
  memset(r->segment + old, 0, sizeof *r->segment * (n - old));
  r->segments = grow(r->segments, sizeof *r->segments * n);
  s->segment_cap = grow(s->segment_cap, sizeof *s->segment_cap * n);
  memset(s->segment_cap + old, 0, sizeof *s->segment_cap * (n - old));
  s->wishes = grow(s->wishes, sizeof *s->wishes * n);
  memset(s->wishes + old, 0, sizeof *s->wishes * (n - old));
  s->place = grow(s->place, sizeof *s->place * n);
  s->ranks = p;
}

static store *store_new(void)
{
  store *s = memset(grow(NULL, sizeof *s), 0, sizeof *s);
  s->base = mmap(NULL, BUFFERS * BUFFER_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (s->base == MAP_FAILED) {
    perror("collscope: cannot reserve 3 TiB of addresses for a record (is there a limit, ulimit -v?)");
    exit(1);
  }
  return s;
}

static void copy_args(store *s, const coll_args *args)
{
  record *r = &s->record;
  int p = args->size;
  r->args = *args;
  r->args.in = NULL;
  r->args.out = r->args.prepared = NULL;
  int params = 0;
  while (r->alg->params && r->alg->params[params].name) params++;
  for (int i = 0; i < params; i++) s->param[i] = args->param ? args->param[i] : r->alg->params[i].value;
  r->args.param = s->param;
  if (args->place && args->place != s->place) memcpy(s->place, args->place, sizeof *s->place * (size_t)p);
  else if (!args->place) memset(s->place, 0, sizeof *s->place * (size_t)p);
  r->args.place = s->place;
  if (s->levels_size == p && !memcmp(s->levels_place, s->place, sizeof *s->place * (size_t)p)) return;
  for (int l = 0; l < COLL_LEVELS; l++) {
    if (s->levels_size) coll_grouping_free(&s->levels[l]);
    coll_grouping_make(&s->levels[l], (coll_level)l, p, s->place);
  }
  s->levels_place = grow(s->levels_place, sizeof *s->place * (size_t)p);
  memcpy(s->levels_place, s->place, sizeof *s->place * (size_t)p);
  s->levels_size = p;
}

record *record_make(record *reuse, const coll_alg *alg, const coll_args *args, int calls, unsigned seed)
{
  store *s = reuse ? (store *)reuse : store_new();
  record *r = &s->record;
  int p = args->size;
  sized(s, p);
  r->alg = alg;
  r->calls = calls < 1 ? 1 : calls > REC_CALLS ? REC_CALLS : calls;
  r->error[0] = '\0';
  r->segment_groups = 0;
  r->chose = false;
  s->seed = seed;
  copy_args(s, args);
  pool_reset(&s->keep);
  pool_reset(&s->segments);
  if (!life.handler) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    life.handler = true;
  }
  for (int i = 0; i < p; i++) {
    s->wishes[i].n = s->wishes[i].at = 0;
    s->wishes[i].done = s->wishes[i].seen = false;
    r->rank[i].n = 0;
    r->segments[i] = 0;
  }
  life.current = s;
  bool any = alg->flags & COLL_ANY_SOURCE;
  for (int left = p; left && !*r->error;) {
    left = 0;
    for (int i = 0; i < p && !*r->error; i++) {
      wish *w = &s->wishes[i];
      if (w->done || (w->seen && w->at == w->n)) continue;   /* nothing new for it */
      make_rank(s, i);
      w->seen = true;
    }
    if (*r->error || !any) break;
    for (int i = 0; i < p; i++) left += !s->wishes[i].done;
    if (left && !choose_sources(s)) {
      int i = 0;
      while (s->wishes[i].done) i++;
      snprintf(r->error, sizeof r->error, "rank %d: recv_any waits for a message that nobody sends", i);
    }
  }
  life.current = NULL;
  for (int i = 0; i < r->segment_groups && !*r->error; i++) s->groups[i].opened = 0;
  for (int i = 0; i < p && !*r->error; i++)
    for (int k = 0; k < r->segments[i]; k++) s->groups[r->segment[i][k].group].opened++;
  for (int i = 0; i < r->segment_groups && !*r->error; i++) {
    const group *g = &s->groups[i];
    if (g->opened != g->members)
      snprintf(r->error, sizeof r->error, "rank %d: opens a segment of %d members, %d of which open it", g->first_rank,
               g->members, g->opened);
  }
  return r;
}

bool record_same(const record *a, const record *b)
{
  if (a->alg != b->alg || a->args.size != b->args.size || a->calls != b->calls ||
      a->segment_groups != b->segment_groups)
    return false;
  for (int i = 0; i < a->args.size; i++) {
    const rec_rank *x = &a->rank[i], *y = &b->rank[i];
    if (x->n != y->n || x->scratch != y->scratch || a->segments[i] != b->segments[i] ||
        memcmp(x->start, y->start, sizeof *x->start * (size_t)(a->calls + 1)) ||
        (x->n && memcmp(x->op, y->op, sizeof *x->op * x->n)))
      return false;
    for (int k = 0; k < a->segments[i]; k++) {
      const rec_segment *g = &a->segment[i][k], *h = &b->segment[i][k];
      if (g->group != h->group || g->members != h->members || g->bytes != h->bytes || g->flags != h->flags ||
          memcmp(g->world, h->world, sizeof *g->world * (size_t)g->members)) return false;
    }
  }
  return true;
}

void record_free(record *r)
{
  store *s = (store *)r;
  if (!s) return;
  for (int i = 0; i < s->ranks; i++) {
    free(r->rank[i].op);
    free(r->segment[i]);
    free(s->wishes[i].source);
  }
  for (int l = 0; l < COLL_LEVELS && s->levels_size; l++) coll_grouping_free(&s->levels[l]);
  free(s->levels_place);
  free(r->rank);
  free(r->segment);
  free(r->segments);
  free(s->segment_cap);
  free(s->wishes);
  free(s->place);
  free(s->scratch);
  free(s->groups);
  pool_free(&s->keep);
  pool_free(&s->segments);
  munmap(s->base, BUFFERS * BUFFER_BYTES);
  free(s);
}
