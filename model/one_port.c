/* one_port: a rank sends one message and receives one message at a time, and a message has both ports until it has
 * arrived. */
#include "model/engine.h"

#include <string.h>

static inline busy_port *way_out(engine *e, int r) { return &e->port[r]; }
static inline busy_port *way_in(engine *e, int r) { return &e->port[e->rec->args.size + r]; }

/* ---- events ----------------------------------------------------------------------------------------- */

static void due_up(engine *e, size_t i, int32_t id)
{
  double time = e->moment[id].time;
  for (; i && time < e->moment[e->due[(i - 1) / 2]].time; i = (i - 1) / 2) e->due[i] = e->due[(i - 1) / 2];
  e->due[i] = id;
}

static int32_t due_pop(engine *e)
{
  int32_t first = e->due[0], last = e->due[--e->due_n];
  double time = e->moment[last].time;
  size_t i = 0, child;
  for (; (child = 2 * i + 1) < e->due_n; i = child) {
    if (child + 1 < e->due_n && e->moment[e->due[child + 1]].time < e->moment[e->due[child]].time) child++;
    if (time <= e->moment[e->due[child]].time) break;
    e->due[i] = e->due[child];
  }
  if (e->due_n) e->due[i] = last;
  return first;
}

static int32_t moment_make(engine *e, double time)
{
  int32_t id = e->idle_n ? e->idle[--e->idle_n] : (int32_t)e->moments++;
  size_t had = e->moment_cap;
  RESERVE(e->moment, e->moment_cap, e->moments);
  if (e->moment_cap > had) memset(e->moment + had, 0, (e->moment_cap - had) * sizeof *e->moment);
  e->moment[id].time = time;
  e->moment[id].n = 0;
  RESERVE(e->due, e->due_cap, e->due_n + 1);
  due_up(e, e->due_n++, id);
  return id;
}

static void happens_at(engine *e, int32_t id, double time)
{
  union { double d; uint64_t u; } bits = {time};
  int32_t *recent = &e->recent[bits.u * 0x9e3779b97f4a7c15u >> 60];
  if (*recent == NONE || !e->moment[*recent].n || e->moment[*recent].time != time) *recent = moment_make(e, time);
  moment *q = &e->moment[*recent];
  PUSH(q->id, q->n, q->cap, id);
}

static int by_number(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Nearly always there is little to do. */
static void in_order(int32_t *id, size_t n)
{
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
static moment *happens_next(engine *e)
{
  int32_t first = due_pop(e);
  moment *q = &e->moment[first];
  while (e->due_n && e->moment[e->due[0]].time == q->time) {
    int32_t other = due_pop(e);
    moment *w = &e->moment[other];
    for (size_t i = 0; i < w->n; i++) PUSH(q->id, q->n, q->cap, w->id[i]);
    w->n = 0;
    PUSH(e->idle, e->idle_n, e->idle_cap, other);
  }
  in_order(q->id, q->n);
  PUSH(e->idle, e->idle_n, e->idle_cap, first);
  return q;
}

/* ---- ports ------------------------------------------------------------------------------------------ */

void one_port_prepare(engine *e)
{
  size_t ports = 2 * (size_t)e->rec->args.size;
  RESERVE(e->port, e->port_cap, ports);
  for (size_t i = 0; i < ports; i++) e->port[i] = (busy_port){.head = NONE, .tail = NONE};
  e->moments = e->due_n = e->idle_n = 0;
  for (int i = 0; i < RECENT; i++) e->recent[i] = NONE;
}

void one_port_launch(engine *e, int32_t id)
{
  message *m = &e->message[id];
  /* Segments are no part of the one-port model: they take the time of a message and no port. */
  if (m->flags & TRANSFER) {
    const machine_piece *c = price(e, m);
    m->flags |= STARTED;
    happens_at(e, id, m->posted + c->latency_s + (double)m->bytes * c->s_per_byte);
  } else happens_at(e, id, m->posted);
}

static void queue_at(engine *e, busy_port *q, int32_t id)
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

static int32_t queue_take(engine *e, busy_port *q)
{
  int32_t id = q->head;
  q->head = e->message[id].link;
  if (q->head == NONE) q->tail = NONE;
  return id;
}

static void one_port_start(engine *e, int32_t id)
{
  message *m = &e->message[id];
  busy_port *out = way_out(e, m->src), *in = way_in(e, m->dst);
  m->start = m->posted;
  later(&m->start, &m->count, out->since, out->count);
  later(&m->start, &m->count, in->since, in->count);
  out->busy = in->busy = true;
  m->flags |= STARTED;
  const machine_piece *c = price(e, m);
  happens_at(e, id, m->start + c->latency_s + ((double)m->bytes + e->m->control_bytes) * c->s_per_byte);
}

/* Starts a message, or lines it up at a port that is busy. */
static void one_port_try(engine *e, int32_t id)
{
  message *m = &e->message[id];
  busy_port *out = way_out(e, m->src), *in = way_in(e, m->dst);
  if (out->busy) queue_at(e, out, id);
  else if (in->busy) queue_at(e, in, id);
  else one_port_start(e, id);
}

bool one_port_next(engine *e)
{
  if (e->due_n) e->now = e->moment[e->due[0]].time;
  return e->due_n;
}

static void happens(engine *e, int32_t id, double time)
{
  message *m = &e->message[id];
  if (!(m->flags & STARTED)) { PUSH(e->ready, e->ready_n, e->ready_cap, id); return; }
  engine_complete(e, id, time);
  if (m->flags & TRANSFER) return;
  busy_port *out = way_out(e, m->src), *in = way_in(e, m->dst);
  out->busy = in->busy = false;
  out->since = in->since = time;
  out->count = in->count = m->count;
  PUSH(e->freed, e->freed_n, e->freed_cap, m->src);
  PUSH(e->freed, e->freed_n, e->freed_cap, e->rec->args.size + m->dst);
}

void one_port_events(engine *e)
{
  e->ready_n = e->freed_n = 0;
  while (e->due_n && e->moment[e->due[0]].time <= e->now + close_to(e->now)) {
    moment *q = happens_next(e);
    for (size_t i = 0; i < q->n; i++) happens(e, q->id[i], q->time);
    q->n = 0;
  }
}

/* After all that ends now has ended: who has waited longest for a port goes first. */
void one_port_settle(engine *e)
{
  for (size_t i = 0; i < e->freed_n; i++) {
    busy_port *port = &e->port[e->freed[i]];
    while (!port->busy && port->head != NONE) one_port_try(e, queue_take(e, port));
  }
  for (size_t i = 0; i < e->ready_n; i++) one_port_try(e, e->ready[i]);
}
