/* one_port: a rank sends one message and receives one message at a time, and a message has both ports until it has
 * arrived. */
#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/engine.h"

typedef struct {
  bool busy;
  double since;
  uint32_t count;
  int32_t head, tail;
} busy_port;

/* What happens at one instant. Schedules are regular, so many messages share theirs. */
typedef struct {
  double time;
  int32_t *id;
  size_t n, cap;
} moment;
enum { RECENT = 16 };

typedef struct {
  busy_port *port;
  size_t port_cap; /* way out and way in of each rank */
  moment *moment;
  size_t moments, moment_cap;
  int32_t *idle;
  size_t idle_n, idle_cap; /* moments that are over */
  int32_t *due;
  size_t due_n, due_cap;  /* a heap of moments by time */
  int32_t recent[RECENT]; /* moments lately added to, by a hash of their time */
  int32_t *ready;
  size_t ready_n, ready_cap;
  int32_t *freed;
  size_t freed_n, freed_cap;
} one_port;

static inline busy_port *way_out(one_port *o, int rank) { return &o->port[2 * rank]; }
static inline busy_port *way_in(one_port *o, int rank) { return &o->port[2 * rank + 1]; }

/* ---- events ----------------------------------------------------------------------------------------- */

static void due_up(one_port *o, size_t i, int32_t id) {
  double time = o->moment[id].time;
  for (; i && time < o->moment[o->due[(i - 1) / 2]].time; i = (i - 1) / 2) o->due[i] = o->due[(i - 1) / 2];
  o->due[i] = id;
}

static int32_t due_pop(one_port *o) {
  int32_t first = o->due[0], last = o->due[--o->due_n];
  double time = o->moment[last].time;
  size_t i = 0, child;
  for (; (child = 2 * i + 1) < o->due_n; i = child) {
    if (child + 1 < o->due_n && o->moment[o->due[child + 1]].time < o->moment[o->due[child]].time) child++;
    if (time <= o->moment[o->due[child]].time) break;
    o->due[i] = o->due[child];
  }
  if (o->due_n) o->due[i] = last;
  return first;
}

static int32_t moment_make(one_port *o, double time) {
  int32_t id = o->idle_n ? o->idle[--o->idle_n] : (int32_t)o->moments++;
  RESERVE_ZEROED(o->moment, o->moment_cap, o->moments);
  o->moment[id].time = time;
  o->moment[id].n = 0;
  RESERVE(o->due, o->due_cap, o->due_n + 1);
  due_up(o, o->due_n++, id);
  return id;
}

static void happens_at(one_port *o, int32_t id, double time) {
  union {
    double d;
    uint64_t u;
  } bits = { time };
  int32_t *recent = &o->recent[bits.u * 0x9e3779b97f4a7c15u >> 60];
  if (*recent == NONE || !o->moment[*recent].n || o->moment[*recent].time != time) *recent = moment_make(o, time);
  moment *q = &o->moment[*recent];
  PUSH(q->id, q->n, q->cap, id);
}

static int by_number(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Nearly always there is little to do. */
static void in_order(int32_t *id, size_t n) {
  size_t moved = 0;
  for (size_t i = 1; i < n && moved <= 4 * n; i++) {
    int32_t one = id[i];
    size_t k = i;
    for (; k && id[k - 1] > one; k--) id[k] = id[k - 1];
    id[k] = one;
    moved += i - k;
  }
  if (moved > 4 * n) qsort(id, n, sizeof *id, by_number);
}

/* Takes out all messages of the next instant. A rank's messages that could start at once do so in its program order:
 * they are numbered that way. What is returned is good until something more happens. */
static moment *happens_next(one_port *o) {
  int32_t first = due_pop(o);
  moment *q = &o->moment[first];
  while (o->due_n && o->moment[o->due[0]].time == q->time) {
    int32_t other = due_pop(o);
    moment *w = &o->moment[other];
    for (size_t i = 0; i < w->n; i++) PUSH(q->id, q->n, q->cap, w->id[i]);
    w->n = 0;
    PUSH(o->idle, o->idle_n, o->idle_cap, other);
  }
  in_order(q->id, q->n);
  PUSH(o->idle, o->idle_n, o->idle_cap, first);
  return q;
}

/* ---- ports ------------------------------------------------------------------------------------------ */

static const char *one_port_prepare(void *state, engine *e) {
  one_port *o = state;
  size_t ports = 2 * (size_t)e->rec->args.size;
  RESERVE(o->port, o->port_cap, ports);
  for (size_t i = 0; i < ports; i++) o->port[i] = (busy_port){ .head = NONE, .tail = NONE };
  o->moments = o->due_n = o->idle_n = 0;
  for (int i = 0; i < RECENT; i++) o->recent[i] = NONE;
  return NULL;
}

static void one_port_launch(void *state, engine *e, int32_t id) {
  one_port *o = state;
  message *m = &e->wiring.message[id];
  /* Segments are no part of the one-port model: they take the time of a message and no port. */
  if (m->flags & TRANSFER) {
    const machine_piece *c = price(e, m);
    m->flags |= STARTED;
    happens_at(o, id, m->posted + c->latency_s + (double)m->bytes * c->s_per_byte);
  } else happens_at(o, id, m->posted);
}

static void queue_at(engine *e, busy_port *q, int32_t id) {
  message *m = &e->wiring.message[id];
  if (q->head == NONE) {
    m->link = NONE;
    q->head = q->tail = id;
  } else if (e->wiring.message[q->tail].posted <= m->posted) {
    m->link = NONE;
    e->wiring.message[q->tail].link = id;
    q->tail = id;
  } else if (m->posted < e->wiring.message[q->head].posted) {
    m->link = q->head;
    q->head = id;
  } else {
    int32_t at = q->head;
    while (e->wiring.message[e->wiring.message[at].link].posted <= m->posted) at = e->wiring.message[at].link;
    m->link = e->wiring.message[at].link;
    e->wiring.message[at].link = id;
  }
}

static int32_t queue_take(engine *e, busy_port *q) {
  int32_t id = q->head;
  q->head = e->wiring.message[id].link;
  if (q->head == NONE) q->tail = NONE;
  return id;
}

static void one_port_start(one_port *o, engine *e, int32_t id) {
  message *m = &e->wiring.message[id];
  busy_port *out = way_out(o, m->src), *in = way_in(o, m->dst);
  m->start = m->posted;
  later(&m->start, &m->count, out->since, out->count);
  later(&m->start, &m->count, in->since, in->count);
  out->busy = in->busy = true;
  m->flags |= STARTED;
  const machine_piece *c = price(e, m);
  happens_at(o, id, m->start + c->latency_s + ((double)m->bytes + e->m->control_bytes) * c->s_per_byte);
}

/* Starts a message, or lines it up at a port that is busy. */
static void one_port_try(one_port *o, engine *e, int32_t id) {
  message *m = &e->wiring.message[id];
  busy_port *out = way_out(o, m->src), *in = way_in(o, m->dst);
  if (out->busy) queue_at(e, out, id);
  else if (in->busy) queue_at(e, in, id);
  else one_port_start(o, e, id);
}

static bool one_port_next(void *state, engine *e) {
  const one_port *o = state;
  if (o->due_n) e->now = o->moment[o->due[0]].time;
  return o->due_n;
}

static void happens(one_port *o, engine *e, int32_t id, double time) {
  message *m = &e->wiring.message[id];
  if (!(m->flags & STARTED)) {
    PUSH(o->ready, o->ready_n, o->ready_cap, id);
    return;
  }
  engine_complete(e, id, time);
  if (m->flags & TRANSFER) return;
  busy_port *out = way_out(o, m->src), *in = way_in(o, m->dst);
  out->busy = in->busy = false;
  out->since = in->since = time;
  out->count = in->count = m->count;
  PUSH(o->freed, o->freed_n, o->freed_cap, 2 * m->src);
  PUSH(o->freed, o->freed_n, o->freed_cap, 2 * m->dst + 1);
}

static void one_port_events(void *state, engine *e) {
  one_port *o = state;
  o->ready_n = o->freed_n = 0;
  while (o->due_n && o->moment[o->due[0]].time <= e->now + close_to(e->now)) {
    moment *q = happens_next(o);
    for (size_t i = 0; i < q->n; i++) happens(o, e, q->id[i], q->time);
    q->n = 0;
  }
}

/* After all that ends now has ended: who has waited longest for a port goes first. */
static void one_port_settle(void *state, engine *e) {
  one_port *o = state;
  for (size_t i = 0; i < o->freed_n; i++) {
    busy_port *port = &o->port[o->freed[i]];
    while (!port->busy && port->head != NONE) one_port_try(o, e, queue_take(e, port));
  }
  for (size_t i = 0; i < o->ready_n; i++) one_port_try(o, e, o->ready[i]);
}

static void one_port_free(void *state) {
  one_port *o = state;
  for (size_t i = 0; i < o->moment_cap; i++) free(o->moment[i].id);
  free(o->port);
  free(o->moment);
  free(o->idle);
  free(o->due);
  free(o->ready);
  free(o->freed);
}

/* Ranks run in the order in which they were woken, which is that of their messages. */
const port_rule one_port_rule = {
  .bytes = sizeof(one_port),
  .prepare = one_port_prepare,
  .launch = one_port_launch,
  .next = one_port_next,
  .events = one_port_events,
  .settle = one_port_settle,
  .free = one_port_free,
};
