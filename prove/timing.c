/* The timing engine. Ranks run ahead through their lists until they must wait for a message; what is on its way sits in a heap by the time
 * of its next event. Time only moves when no rank can go on, so everything that is posted lies at or after the present. */
#include "timing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };
enum { SENT = 1, RECEIVED = 2, EAGER = 4, STARTED = 8, FLOWING = 16, DONE = 32, TRANSFER = 64 };

typedef struct {
  int32_t src, dst;
  uint32_t send, recv;          /* operations of the two */
  int32_t link;                 /* next in a queue: of its pair while messages are matched, of a busy port under CHAN; its flow under FLUID */
  uint32_t count;               /* messages on the path that led here */
  uint8_t label, flags;
  uint64_t bytes;
  double posted, start, end;
} message;

typedef struct {
  size_t next;                  /* operation to do, or that is waited for */
  double clock;
  uint32_t count;
  int32_t message;              /* waited for, or NONE */
  int32_t flag_link;            /* next rank that waits for the same flag */
} rank_state;

/* Messages of one source, destination and label match in order. */
typedef struct { uint64_t key; uint32_t stamp; int32_t head, tail; } pair_queue;

typedef struct { double time; uint32_t order; int32_t id; } event;

typedef struct { bool busy; double since; uint32_t count; int32_t head, tail; } chan_port;

/* A message that uses bandwidth. Its rate is in shares of the port: 1 when it has the port for itself. */
enum { CROSSED = 6 };
typedef struct {
  int32_t message;
  int crossed;
  int32_t resource[CROSSED], next[CROSSED], before[CROSSED];
  double weight[CROSSED];       /* how much of the resource a rate of 1 takes up */
  double left, rate, since, share;
  uint32_t stamp;
  bool fixed;
} flow;

typedef struct { int32_t head; int flows; int open; uint32_t stamp; double left, demand; } resource;

typedef struct { uint64_t value; double time; uint32_t count; } publication;
typedef struct { publication *list; int n, cap; int32_t waiting; } flag_state;

typedef struct {
  message *message; size_t messages, transfers, message_cap;
  rank_state *rank; size_t rank_cap;
  int32_t *of_op; size_t op_cap;                /* message (or flag) of each operation */
  size_t *first_op; size_t first_cap;
  pair_queue *pair; size_t pairs, pair_cap; uint32_t pair_stamp;
  event *heap; size_t heap_n, heap_cap;
  uint32_t *where; size_t where_cap;            /* place of each message in the heap */
  uint32_t order;
  int32_t *run; size_t run_n, run_cap;          /* ranks that can go on */
  chan_port *port; size_t port_cap;
  int32_t *ready; size_t ready_n, ready_cap;
  int32_t *freed; size_t freed_n, freed_cap;
  flow *flow; size_t flows, flow_cap;
  int32_t *spare; size_t spare_n, spare_cap;
  resource *resource; size_t resource_cap; int resources;
  int32_t *dirty; size_t dirty_n, dirty_cap;
  int32_t *reached; size_t reached_n, reached_cap;
  int32_t *solved; size_t solved_n, solved_cap;
  uint32_t stamp;
  flag_state *flag; size_t flags, flag_cap;
  const record *rec;
  const machine *m;
  timing_result *out;
  int nodes, sockets;
  double now;
} engine;

/* ---- memory and small things ------------------------------------------------------------------------ */

static void *reserve_items(void *old, size_t *cap, size_t n, size_t item)
{
  if (n <= *cap) return old;
  size_t more = *cap ? *cap : 16;
  while (more < n) more *= 2;
  void *p = realloc(old, more * item);
  if (!p) { fprintf(stderr, "timing: out of memory (%zu bytes)\n", more * item); abort(); }
  *cap = more;
  return p;
}
#define RESERVE(array, cap, n) ((array) = reserve_items((array), &(cap), (n), sizeof *(array)))
#define PUSH(array, n, cap, value) (RESERVE(array, cap, (n) + 1), (array)[(n)++] = (value))

/* Times that differ by less are the same: they were added up along different ways. */
static inline double close_to(double t) { return t * 1e-13; }

/* The later of two arrivals decides; of two at once, the one with more messages behind it. */
static inline void later(double *time, uint32_t *count, double other, uint32_t other_count)
{
  double slack = close_to(*time);
  if (other > *time + slack) *time = other, *count = other_count;
  else if (other >= *time - slack) {
    if (other > *time) *time = other;
    if (other_count > *count) *count = other_count;
  }
}

static inline const rec_op *op_at(const engine *e, int r, size_t i) { return &e->rec->rank[r].op[i]; }
static inline int32_t message_of(const engine *e, int r, size_t i) { return e->of_op[e->first_op[r] + i]; }

static machine_class class_of(const engine *e, int a, int b)
{
  if (!e->m->places) return MACHINE_NETWORK;
  const coll_place *x = &e->m->place[a], *y = &e->m->place[b];
  if (x->node != y->node) return MACHINE_NETWORK;
  if (x->socket != y->socket) return MACHINE_NODE;
  return x->cache == y->cache ? MACHINE_CACHE : MACHINE_SOCKET;
}

static const machine_piece *piece_of(const machine_curve *c, uint64_t bytes)
{
  int i = c->pieces - 1;
  while (i > 0 && c->piece[i].from > bytes) i--;
  return &c->piece[i];
}

/* ---- the heap: earliest event first, then the one that was posted first ------------------------------ */

static inline bool before(const event *a, const event *b)
{ return a->time < b->time || (a->time == b->time && a->order < b->order); }

static void heap_set(engine *e, size_t i, event v) { e->heap[i] = v; e->where[v.id] = (uint32_t)i; }

static void heap_up(engine *e, size_t i, event v)
{
  while (i > 0 && before(&v, &e->heap[(i - 1) / 4])) {
    heap_set(e, i, e->heap[(i - 1) / 4]);
    i = (i - 1) / 4;
  }
  heap_set(e, i, v);
}

static void heap_down(engine *e, size_t i, event v)
{
  for (;;) {
    size_t child = 4 * i + 1, least = child, last = child + 4 < e->heap_n ? child + 4 : e->heap_n;
    if (child >= e->heap_n) break;
    for (size_t k = child + 1; k < last; k++)
      if (before(&e->heap[k], &e->heap[least])) least = k;
    if (!before(&e->heap[least], &v)) break;
    heap_set(e, i, e->heap[least]);
    i = least;
  }
  heap_set(e, i, v);
}

static void heap_push(engine *e, int32_t id, double time)
{
  RESERVE(e->heap, e->heap_cap, e->heap_n + 1);
  event v = {time, e->order++, id};
  heap_up(e, e->heap_n++, v);
}

static event heap_pop(engine *e)
{
  event top = e->heap[0];
  event last = e->heap[--e->heap_n];
  if (e->heap_n) heap_down(e, 0, last);
  e->where[top.id] = UINT32_MAX;
  return top;
}

static void heap_move(engine *e, int32_t id, double time)
{
  if (e->where[id] == UINT32_MAX) { heap_push(e, id, time); return; }
  size_t i = e->where[id];
  event v = e->heap[i];
  bool up = time < v.time;
  v.time = time;
  if (up) heap_up(e, i, v); else heap_down(e, i, v);
}

/* ---- matching --------------------------------------------------------------------------------------- */

static uint64_t scrambled(uint64_t key)
{
  key *= 0x9e3779b97f4a7c15u;
  return key ^ key >> 29;
}

static pair_queue *pair_find(engine *e, uint64_t key);

static void pair_grow(engine *e)
{
  pair_queue *old = e->pair;
  size_t old_cap = e->pair_cap;
  e->pair_cap = old_cap ? 2 * old_cap : 1024;
  e->pair = calloc(e->pair_cap, sizeof *e->pair);
  if (!e->pair) { fputs("timing: out of memory\n", stderr); abort(); }
  e->pairs = 0;
  for (size_t i = 0; i < old_cap; i++)
    if (old[i].stamp == e->pair_stamp) {
      pair_queue *q = pair_find(e, old[i].key);
      q->head = old[i].head;
      q->tail = old[i].tail;
    }
  free(old);
}

/* The queue of a key, made when there is none. Stamps spare clearing the table between calls. */
static pair_queue *pair_find(engine *e, uint64_t key)
{
  if (2 * e->pairs >= e->pair_cap) pair_grow(e);
  size_t mask = e->pair_cap - 1, i = scrambled(key) & mask;
  while (e->pair[i].stamp == e->pair_stamp && e->pair[i].key != key) i = (i + 1) & mask;
  pair_queue *q = &e->pair[i];
  if (q->stamp != e->pair_stamp) {
    *q = (pair_queue){key, e->pair_stamp, NONE, NONE};
    e->pairs++;
  }
  return q;
}

static uint64_t pair_key(int src, int dst, unsigned label) { return (uint64_t)label << 56 | (uint64_t)src << 28 | (uint64_t)dst; }
static uint64_t flag_key(int group, int home, uint64_t number) { return 1ull << 55 | (uint64_t)group << 40 | (uint64_t)home << 20 | number; }

static int failed(engine *e, const char *format, int a, int b)
{
  snprintf(e->out->error, sizeof e->out->error, format, a, b);
  return -1;
}

static void forget_pairs(engine *e)
{
  e->pairs = 0;
  if (++e->pair_stamp == 0) {
    if (e->pair) memset(e->pair, 0, e->pair_cap * sizeof *e->pair);
    e->pair_stamp = 1;
  }
}

static bool sends(uint8_t kind) { return kind == REC_SEND || kind == REC_ISEND; }
static bool receives(uint8_t kind) { return kind == REC_RECV || kind == REC_IRECV || kind == REC_RECV_ANY; }

/* Gives every operation its message or its flag. */
static int match(engine *e)
{
  const record *rec = e->rec;
  int p = rec->args.size;
  size_t ops = 0;
  RESERVE(e->first_op, e->first_cap, (size_t)p);
  for (int r = 0; r < p; r++) {
    e->first_op[r] = ops;
    ops += rec->rank[r].n;
  }
  RESERVE(e->of_op, e->op_cap, ops);
  e->messages = 0;
  e->flags = 0;
  forget_pairs(e);

  uint64_t last_key = UINT64_MAX;
  pair_queue *q = NULL;
  for (int r = 0; r < p; r++)
    for (size_t i = 0; i < rec->rank[r].n; i++) {
      const rec_op *o = op_at(e, r, i);
      if (!sends(o->kind)) continue;
      if (o->peer < 0 || o->peer >= p) return failed(e, "rank %d sends to rank %d, which does not exist", r, o->peer);
      int32_t id = (int32_t)e->messages;
      RESERVE(e->message, e->message_cap, e->messages + 1);
      bool eager = e->m->eager_bytes >= 0 && o->bytes <= (uint64_t)e->m->eager_bytes;
      e->message[e->messages++] = (message){.src = r, .dst = o->peer, .send = (uint32_t)i, .recv = UINT32_MAX, .link = NONE,
        .label = o->label, .flags = eager ? EAGER : 0, .bytes = o->bytes};
      e->of_op[e->first_op[r] + i] = id;
      uint64_t key = pair_key(r, o->peer, o->label);
      if (key != last_key) q = pair_find(e, last_key = key);
      if (q->head == NONE) q->head = id; else e->message[q->tail].link = id;
      q->tail = id;
    }
  e->transfers = e->messages;
  size_t matched = 0;
  last_key = UINT64_MAX;
  for (int r = 0; r < p; r++)
    for (size_t i = 0; i < rec->rank[r].n; i++) {
      const rec_op *o = op_at(e, r, i);
      int32_t *of = &e->of_op[e->first_op[r] + i];
      if (receives(o->kind)) {
        if (o->peer < 0 || o->peer >= p) return failed(e, "rank %d receives from rank %d, which does not exist", r, o->peer);
        uint64_t key = pair_key(o->peer, r, o->label);
        if (key != last_key) q = pair_find(e, last_key = key);
        if (q->head == NONE) return failed(e, "rank %d receives from rank %d, which sends no such message", r, o->peer);
        *of = q->head;
        e->message[q->head].recv = (uint32_t)i;
        q->head = e->message[q->head].link;
        matched++;
      } else if (o->kind == REC_WAIT) {
        if (o->peer < 0 || (size_t)o->peer >= i) return failed(e, "rank %d waits for operation %d, which is not before it", r, o->peer);
        *of = e->of_op[e->first_op[r] + (size_t)o->peer];
      } else if ((o->kind == REC_WRITE || o->kind == REC_READ) && o->peer != r) {
        /* Another rank's part of a segment: the bytes go the way of a message, with no receive to wait for. */
        int src = o->kind == REC_WRITE ? r : o->peer, dst = o->kind == REC_WRITE ? o->peer : r;
        *of = (int32_t)e->transfers;
        RESERVE(e->message, e->message_cap, e->transfers + 1);
        e->message[e->transfers++] = (message){.src = src, .dst = dst, .send = (uint32_t)i, .recv = (uint32_t)i, .link = NONE,
          .flags = TRANSFER, .bytes = o->bytes};
      } else if (o->kind == REC_PUBLISH || o->kind == REC_AWAIT) {
        const rec_segment *s = &rec->segment[r][o->buf - REC_SEGMENT];
        pair_queue *name = pair_find(e, flag_key(s->group, o->peer, o->off));
        last_key = UINT64_MAX;      /* the table may have moved */
        if (name->head == NONE) {
          name->head = (int32_t)e->flags;
          size_t had = e->flag_cap;
          RESERVE(e->flag, e->flag_cap, e->flags + 1);
          if (e->flag_cap > had) memset(e->flag + had, 0, (e->flag_cap - had) * sizeof *e->flag);
          e->flag[e->flags].n = 0;
          e->flag[e->flags++].waiting = NONE;
        }
        *of = name->head;
      }
    }
  if (matched == e->messages) return 0;
  for (size_t i = 0; i < e->messages; i++)
    if (e->message[i].recv == UINT32_MAX)
      return failed(e, "rank %d sends to rank %d, which never receives it", e->message[i].src, e->message[i].dst);
  return 0;
}

/* ---- what a message costs --------------------------------------------------------------------------- */

static inline const machine_piece *price(const engine *e, const message *m)
{ return piece_of(&e->m->curve[class_of(e, m->src, m->dst)], m->bytes); }

static void complete(engine *e, int32_t id, double time)
{
  message *m = &e->message[id];
  m->flags |= DONE;
  m->end = time;
  if (!(m->flags & TRANSFER)) m->count++;
  int both[2] = {m->src, m->dst};
  for (int i = 0; i < (m->src == m->dst ? 1 : 2); i++)
    if (e->rank[both[i]].message == id) PUSH(e->run, e->run_n, e->run_cap, both[i]);
}

/* ---- CHAN ------------------------------------------------------------------------------------------- */

static inline chan_port *way_out(engine *e, int r) { return &e->port[r]; }
static inline chan_port *way_in(engine *e, int r) { return &e->port[e->rec->args.size + r]; }

static void queue_at(engine *e, chan_port *q, int32_t id)
{
  message *m = &e->message[id];
  if (q->head == NONE) {
    m->link = NONE;
    q->head = q->tail = id;
  } else if (e->message[q->tail].posted <= m->posted) {
    m->link = NONE;
    e->message[q->tail].link = id;
    q->tail = id;
  } else if (m->posted < e->message[q->head].posted) {
    m->link = q->head;
    q->head = id;
  } else {
    int32_t at = q->head;
    while (e->message[e->message[at].link].posted <= m->posted) at = e->message[at].link;
    m->link = e->message[at].link;
    e->message[at].link = id;
  }
}

static int32_t queue_take(engine *e, chan_port *q)
{
  int32_t id = q->head;
  q->head = e->message[id].link;
  if (q->head == NONE) q->tail = NONE;
  return id;
}

static void chan_start(engine *e, int32_t id)
{
  message *m = &e->message[id];
  chan_port *out = way_out(e, m->src), *in = way_in(e, m->dst);
  m->start = m->posted;
  later(&m->start, &m->count, out->since, out->count);
  later(&m->start, &m->count, in->since, in->count);
  out->busy = in->busy = true;
  m->flags |= STARTED;
  const machine_piece *c = price(e, m);
  heap_push(e, id, m->start + c->latency_s + ((double)m->bytes + e->m->control_bytes) * c->s_per_byte);
}

/* Starts a message, or lines it up at a port that is busy. */
static void chan_try(engine *e, int32_t id)
{
  message *m = &e->message[id];
  chan_port *out = way_out(e, m->src), *in = way_in(e, m->dst);
  if (out->busy) queue_at(e, out, id);
  else if (in->busy) queue_at(e, in, id);
  else chan_start(e, id);
}

static void chan_events(engine *e)
{
  e->ready_n = e->freed_n = 0;
  while (e->heap_n && e->heap[0].time <= e->now + close_to(e->now)) {
    event v = heap_pop(e);
    message *m = &e->message[v.id];
    if (!(m->flags & STARTED)) { PUSH(e->ready, e->ready_n, e->ready_cap, v.id); continue; }
    complete(e, v.id, v.time);
    if (m->flags & TRANSFER) continue;
    chan_port *out = way_out(e, m->src), *in = way_in(e, m->dst);
    out->busy = in->busy = false;
    out->since = in->since = v.time;
    out->count = in->count = m->count;
    PUSH(e->freed, e->freed_n, e->freed_cap, m->src);
    PUSH(e->freed, e->freed_n, e->freed_cap, e->rec->args.size + m->dst);
  }
}

/* After all that ends now has ended: who has waited longest for a port goes first. */
static void chan_allot(engine *e)
{
  for (size_t i = 0; i < e->freed_n; i++) {
    chan_port *port = &e->port[e->freed[i]];
    while (!port->busy && port->head != NONE) chan_try(e, queue_take(e, port));
  }
  for (size_t i = 0; i < e->ready_n; i++) chan_try(e, e->ready[i]);
}

/* ---- FLUID ------------------------------------------------------------------------------------------ */

static void cross(flow *f, int res, double weight)
{
  f->resource[f->crossed] = res;
  f->weight[f->crossed++] = weight;
}

static int32_t flow_make(engine *e, int32_t id)
{
  int32_t index;
  if (e->spare_n) index = e->spare[--e->spare_n];
  else {
    RESERVE(e->flow, e->flow_cap, e->flows + 1);
    index = (int32_t)e->flows++;
    e->flow[index].stamp = 0;
  }
  const message *m = &e->message[id];
  const machine_piece *c = price(e, m);
  flow *f = &e->flow[index];
  f->message = id;
  f->crossed = 0;
  f->left = ((double)m->bytes + (m->flags & TRANSFER ? 0 : e->m->control_bytes)) * c->s_per_byte;
  f->rate = 0;
  int p = e->rec->args.size;
  cross(f, m->src, 1);
  cross(f, p + m->dst, 1);
  if (!e->m->places || f->left <= 0) return index;
  const coll_place *x = &e->m->place[m->src], *y = &e->m->place[m->dst];
  double speed = 1 / c->s_per_byte;
  if (e->m->nic_bytes_per_s > 0 && x->node != y->node) {
    cross(f, 2 * p + x->node, speed / e->m->nic_bytes_per_s);
    cross(f, 2 * p + e->nodes + y->node, speed / e->m->nic_bytes_per_s);
  }
  if (e->m->memory_bytes_per_s > 0 && x->cache != y->cache) {
    cross(f, 2 * p + 2 * e->nodes + x->socket, speed / e->m->memory_bytes_per_s);
    if (x->socket != y->socket) cross(f, 2 * p + 2 * e->nodes + y->socket, speed / e->m->memory_bytes_per_s);
  }
  return index;
}

static void touch(engine *e, int res) { PUSH(e->dirty, e->dirty_n, e->dirty_cap, res); }

/* Lists of the flows on a resource hold flow · CROSSED + slot. */
static void flow_enter(engine *e, int32_t index)
{
  flow *f = &e->flow[index];
  for (int k = 0; k < f->crossed; k++) {
    resource *r = &e->resource[f->resource[k]];
    f->before[k] = NONE;
    f->next[k] = r->head;
    if (r->head != NONE) e->flow[r->head / CROSSED].before[r->head % CROSSED] = index * CROSSED + k;
    r->head = index * CROSSED + k;
    r->flows++;
  }
  touch(e, f->resource[0]);
}

static void flow_leave(engine *e, int32_t index)
{
  flow *f = &e->flow[index];
  for (int k = 0; k < f->crossed; k++) {
    resource *r = &e->resource[f->resource[k]];
    if (f->before[k] == NONE) r->head = f->next[k];
    else e->flow[f->before[k] / CROSSED].next[f->before[k] % CROSSED] = f->next[k];
    if (f->next[k] != NONE) e->flow[f->next[k] / CROSSED].before[f->next[k] % CROSSED] = f->before[k];
    if (--r->flows) touch(e, f->resource[k]);
  }
}

static void fluid_events(engine *e)
{
  while (e->heap_n && e->heap[0].time <= e->now + close_to(e->now)) {
    event v = heap_pop(e);
    message *m = &e->message[v.id];
    int32_t index = m->link;
    if (v.time > e->now) e->now = v.time;
    if (!(m->flags & FLOWING) && e->flow[index].left > 0) {   /* the latency has passed */
      m->flags |= FLOWING;
      e->flow[index].since = v.time;
      flow_enter(e, index);
      continue;
    }
    if (m->flags & FLOWING) flow_leave(e, index);
    PUSH(e->spare, e->spare_n, e->spare_cap, index);
    complete(e, v.id, v.time);
  }
}

/* All flows and resources that hang together with `res`: shares elsewhere do not change. */
static void reach(engine *e, int res)
{
  e->reached_n = e->solved_n = 0;
  e->resource[res].stamp = e->stamp;
  PUSH(e->reached, e->reached_n, e->reached_cap, res);
  for (size_t i = 0; i < e->reached_n; i++) {
    for (int32_t at = e->resource[e->reached[i]].head; at != NONE; at = e->flow[at / CROSSED].next[at % CROSSED]) {
      flow *f = &e->flow[at / CROSSED];
      if (f->stamp == e->stamp) continue;
      f->stamp = e->stamp;
      PUSH(e->solved, e->solved_n, e->solved_cap, at / CROSSED);
      for (int k = 0; k < f->crossed; k++) {
        if (e->resource[f->resource[k]].stamp == e->stamp) continue;
        e->resource[f->resource[k]].stamp = e->stamp;
        PUSH(e->reached, e->reached_n, e->reached_cap, f->resource[k]);
      }
    }
  }
}

/* Max-min shares: raise all rates together; who crosses the resource that fills up first stays there, and so on. */
static void fill(engine *e)
{
  for (size_t i = 0; i < e->reached_n; i++) {
    resource *r = &e->resource[e->reached[i]];
    r->left = 1;
    r->demand = 0;
    r->open = r->flows;
  }
  for (size_t i = 0; i < e->solved_n; i++) {
    flow *f = &e->flow[e->solved[i]];
    f->fixed = false;
    for (int k = 0; k < f->crossed; k++) e->resource[f->resource[k]].demand += f->weight[k];
  }
  size_t open = e->solved_n;
  double level = 0;
  while (open) {
    double least = DBL_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < e->reached_n; i++) {
      resource *r = &e->resource[e->reached[i]];
      if (!r->open) continue;
      e->reached[kept++] = e->reached[i];
      double share = r->left / r->demand;
      if (share < least) least = share;
    }
    if (least < level) least = level;     /* rounding; levels rise */
    level = least;
    e->reached_n = kept;
    for (size_t i = 0; i < e->reached_n; i++) {
      resource *r = &e->resource[e->reached[i]];
      if (!r->open || r->left > least * (1 + 1e-12) * r->demand) continue;
      for (int32_t at = r->head; at != NONE; at = e->flow[at / CROSSED].next[at % CROSSED]) {
        flow *f = &e->flow[at / CROSSED];
        if (f->fixed) continue;
        f->fixed = true;
        f->share = least;
        open--;
        for (int k = 0; k < f->crossed; k++) {
          resource *other = &e->resource[f->resource[k]];
          other->left -= f->weight[k] * least;
          other->demand -= f->weight[k];
          other->open--;
        }
      }
    }
  }
}

static void fluid_share(engine *e)
{
  e->stamp++;
  for (size_t d = 0; d < e->dirty_n; d++) {
    if (e->resource[e->dirty[d]].stamp == e->stamp) continue;
    reach(e, e->dirty[d]);
    if (e->solved_n == 1) {
      flow *f = &e->flow[e->solved[0]];
      double most = 1;
      for (int k = 0; k < f->crossed; k++) if (f->weight[k] > most) most = f->weight[k];
      f->share = 1 / most;
    } else fill(e);
    for (size_t i = 0; i < e->solved_n; i++) {
      flow *f = &e->flow[e->solved[i]];
      if (f->share == f->rate) continue;
      f->left -= f->rate * (e->now - f->since);
      if (f->left < 0) f->left = 0;
      f->since = e->now;
      f->rate = f->share;
      heap_move(e, f->message, e->now + f->left / f->rate);
    }
  }
  e->dirty_n = 0;
}

/* ---- ranks ------------------------------------------------------------------------------------------ */

/* Both sides are there (or need not be): from now on the message is an event. */
static void launch(engine *e, int32_t id)
{
  message *m = &e->message[id];
  if (e->m->ports == MACHINE_CHAN) {
    if (m->flags & TRANSFER) {
      const machine_piece *c = price(e, m);
      m->flags |= STARTED;
      heap_push(e, id, m->posted + c->latency_s + (double)m->bytes * c->s_per_byte);
    } else heap_push(e, id, m->posted);
    return;
  }
  double latency = price(e, m)->latency_s;
  m->start = m->posted;
  m->flags |= STARTED;
  int32_t index = flow_make(e, id);
  e->message[id].link = index;
  heap_push(e, id, e->message[id].start + latency);
}

static void post(engine *e, int32_t id, int r, uint8_t side)
{
  message *m = &e->message[id];
  rank_state *s = &e->rank[r];
  if (m->flags & EAGER) {
    m->flags |= side;
    if (side != SENT) return;
    m->posted = s->clock;
    m->count = s->count;
    launch(e, id);
    return;
  }
  if (m->flags & (SENT | RECEIVED)) later(&m->posted, &m->count, s->clock, s->count);
  else m->posted = s->clock, m->count = s->count;
  m->flags |= side;
  if ((m->flags & (SENT | RECEIVED)) == (SENT | RECEIVED)) launch(e, id);
}

/* The rank has waited for this message, and it is there. */
static void absorb(engine *e, int r, int32_t id, uint8_t side)
{
  const message *m = &e->message[id];
  rank_state *s = &e->rank[r];
  later(&s->clock, &s->count, m->end, m->count);
  if (side == RECEIVED && m->flags & EAGER) s->clock += e->m->overhead_s;
}

/* Which side of its message an operation waits for. */
static uint8_t side_of(const engine *e, int r, size_t i)
{
  const rec_op *o = op_at(e, r, i);
  if (o->kind == REC_WAIT) o = op_at(e, r, (size_t)o->peer);
  return sends(o->kind) ? SENT : RECEIVED;
}

static void publish(engine *e, int r, flag_state *f, uint64_t value)
{
  rank_state *s = &e->rank[r];
  if (f->n == f->cap) {
    f->cap = f->cap ? 2 * f->cap : 8;
    f->list = realloc(f->list, (size_t)f->cap * sizeof *f->list);
    if (!f->list) { fputs("timing: out of memory\n", stderr); abort(); }
  }
  f->list[f->n++] = (publication){value, s->clock, s->count};
  for (int32_t w = f->waiting, next; w != NONE; w = next) {
    next = e->rank[w].flag_link;
    PUSH(e->run, e->run_n, e->run_cap, w);
  }
  f->waiting = NONE;
}

/* True when the flag has reached the value at some time: the clock then stands at the later of the two. */
static bool reached_value(engine *e, int r, flag_state *f, uint64_t value)
{
  rank_state *s = &e->rank[r];
  if (!value) return true;
  int low = 0, high = f->n;           /* values grow */
  while (low < high) {
    int middle = (low + high) / 2;
    if (f->list[middle].value >= value) high = middle; else low = middle + 1;
  }
  if (low == f->n) return false;
  later(&s->clock, &s->count, f->list[low].time, f->list[low].count);
  return true;
}

static void run_rank(engine *e, int r)
{
  const machine *m = e->m;
  rank_state *s = &e->rank[r];
  const rec_rank *list = &e->rec->rank[r];
  const int32_t *of = e->of_op + e->first_op[r];
  if (s->message != NONE) {
    absorb(e, r, s->message, side_of(e, r, s->next));
    s->message = NONE;
    s->next++;
  }
  for (; s->next < list->n; s->next++) {
    const rec_op *o = &list->op[s->next];
    int32_t id = of[s->next];
    switch ((rec_kind)o->kind) {
    case REC_SEND: case REC_ISEND:
      if (o->kind == REC_ISEND || e->message[id].flags & EAGER) s->clock += m->overhead_s;
      post(e, id, r, SENT);
      if (o->kind == REC_SEND && !(e->message[id].flags & EAGER)) { s->message = id; return; }
      break;
    case REC_RECV: case REC_IRECV: case REC_RECV_ANY:
      post(e, id, r, RECEIVED);
      if (o->kind == REC_IRECV) break;
      if (!(e->message[id].flags & DONE)) { s->message = id; return; }
      absorb(e, r, id, RECEIVED);
      break;
    case REC_WAIT: {
      uint8_t side = side_of(e, r, s->next);
      if (side == SENT && e->message[id].flags & EAGER) break;
      if (!(e->message[id].flags & DONE)) { s->message = id; return; }
      absorb(e, r, id, side);
      break;
    }
    case REC_REDUCE: s->clock += (double)o->bytes * m->gamma_s_per_byte; break;
    case REC_COPY: s->clock += (double)o->bytes * m->copy_s_per_byte; break;
    case REC_WRITE: case REC_READ:
      if (o->peer == r) { s->clock += (double)o->bytes * m->copy_s_per_byte; break; }
      e->message[id].posted = s->clock;
      e->message[id].count = s->count;
      launch(e, id);
      s->message = id;
      return;
    case REC_PUBLISH: publish(e, r, &e->flag[id], o->off2); break;
    case REC_AWAIT:
      if (reached_value(e, r, &e->flag[id], o->off2)) break;
      s->flag_link = e->flag[id].waiting;
      e->flag[id].waiting = r;
      return;
    }
  }
}

static void run_ranks(engine *e)
{
  while (e->run_n) run_rank(e, e->run[--e->run_n]);
}

/* ---- the call --------------------------------------------------------------------------------------- */

static int prepare(engine *e)
{
  const record *rec = e->rec;
  const machine *m = e->m;
  int p = rec->args.size;
  if (m->places && m->places < p) return failed(e, "the machine has places for %d ranks, the schedule has %d", m->places, p);
  if (match(e)) return -1;
  e->nodes = e->sockets = 0;
  for (int r = 0; r < (m->places ? p : 0); r++) {
    if (m->place[r].node >= e->nodes) e->nodes = m->place[r].node + 1;
    if (m->place[r].socket >= e->sockets) e->sockets = m->place[r].socket + 1;
  }
  static const char *const names[MACHINE_CLASSES] = {"cache", "socket", "node", "network"};
  for (size_t i = 0; i < e->transfers; i++) {
    machine_class c = class_of(e, e->message[i].src, e->message[i].dst);
    if (m->curve[c].pieces) continue;
    snprintf(e->out->error, sizeof e->out->error, "ranks %d and %d: the machine has no line for class %s",
             e->message[i].src, e->message[i].dst, names[c]);
    return -1;
  }
  RESERVE(e->rank, e->rank_cap, (size_t)p);
  for (int r = 0; r < p; r++) e->rank[r] = (rank_state){.message = NONE, .flag_link = NONE};
  RESERVE(e->where, e->where_cap, e->transfers);
  memset(e->where, 0xff, e->transfers * sizeof *e->where);
  e->heap_n = e->run_n = e->spare_n = e->flows = e->dirty_n = 0;
  e->order = 0;
  e->now = 0;
  if (m->ports == MACHINE_CHAN) {
    RESERVE(e->port, e->port_cap, 2 * (size_t)p);
    for (int i = 0; i < 2 * p; i++) e->port[i] = (chan_port){.head = NONE, .tail = NONE};
  } else {
    e->resources = 2 * p + 2 * e->nodes + e->sockets;
    RESERVE(e->resource, e->resource_cap, (size_t)e->resources);
    for (int i = 0; i < e->resources; i++) e->resource[i] = (resource){.head = NONE};
    e->stamp = 0;
  }
  return 0;
}

static int conclude(engine *e)
{
  timing_result *out = e->out;
  int p = e->rec->args.size;
  for (int r = 0; r < p; r++) {
    const rank_state *s = &e->rank[r];
    if (s->next == e->rec->rank[r].n) continue;
    const rec_op *o = op_at(e, r, s->next);
    const char *what = o->kind == REC_AWAIT ? "a flag" : side_of(e, r, s->next) == SENT ? "its send" : "its receive";
    int other = s->message == NONE ? o->peer
                : e->message[s->message].src == r ? e->message[s->message].dst : e->message[s->message].src;
    snprintf(out->error, sizeof out->error, "deadlock: rank %d waits for ever in operation %zu, %s with rank %d", r, s->next,
             what, other);
    return -1;
  }
  out->rank_end_s = realloc(out->rank_end_s, (size_t)p * sizeof *out->rank_end_s);
  if (!out->rank_end_s) { fputs("timing: out of memory\n", stderr); abort(); }
  out->ranks = p;
  uint32_t count = 0;
  for (int r = 0; r < p; r++) {
    out->rank_end_s[r] = e->rank[r].clock;
    later(&out->makespan_s, &count, e->rank[r].clock, e->rank[r].count);
  }
  out->critical_messages = count;
  out->messages = e->messages;
  if (!out->want_messages) return 0;
  out->message = realloc(out->message, (e->messages ? e->messages : 1) * sizeof *out->message);
  if (!out->message) { fputs("timing: out of memory\n", stderr); abort(); }
  for (size_t i = 0; i < e->messages; i++) {
    const message *m = &e->message[i];
    out->message[i] = (timing_message){.src = m->src, .dst = m->dst, .label = m->label, .send = m->send, .recv = m->recv,
      .bytes = m->bytes, .posted_s = m->posted, .start_s = m->start, .end_s = m->end};
  }
  return 0;
}

int timing_run(const record *rec, const machine *m, timing_result *out)
{
  if (!out->work && !(out->work = calloc(1, sizeof(engine)))) { fputs("timing: out of memory\n", stderr); abort(); }
  engine *e = out->work;
  e->rec = rec;
  e->m = m;
  e->out = out;
  out->makespan_s = 0;
  out->critical_messages = out->messages = 0;
  *out->error = '\0';
  if (*rec->error) {
    snprintf(out->error, sizeof out->error, "%s", rec->error);
    return -1;
  }
  if (prepare(e)) return -1;
  bool chan = m->ports == MACHINE_CHAN;
  for (int r = 0; r < rec->args.size; r++) run_rank(e, r);
  run_ranks(e);
  while (e->heap_n) {
    e->now = e->heap[0].time;
    if (chan) chan_events(e); else fluid_events(e);
    run_ranks(e);
    if (chan) chan_allot(e); else fluid_share(e);
  }
  return conclude(e);
}

void timing_free(timing_result *out)
{
  engine *e = out->work;
  if (e) {
    void *all[] = {e->message, e->rank, e->of_op, e->first_op, e->pair, e->heap, e->where, e->run, e->port, e->ready, e->freed,
                   e->flow, e->spare, e->resource, e->dirty, e->reached, e->solved};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    for (size_t i = 0; i < e->flag_cap; i++) free(e->flag[i].list);
    free(e->flag);
    free(e);
  }
  free(out->rank_end_s);
  free(out->message);
  *out = (timing_result){0};
}
