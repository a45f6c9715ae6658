/* one_port: a rank sends one message and receives one message at a time, and a message has both ports until it has
 * arrived. */
#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/engine.h"
#include "model/event_queue.h"

typedef struct {
  bool busy;
  double since;
  uint32_t count;
  int32_t head, tail, last; /* last: the message that it has been busy with */
} busy_port;

typedef struct {
  busy_port *port;
  size_t port_cap; /* port out and port in of each rank */
  event_queue queue;
  int32_t *ready;
  size_t ready_n, ready_cap;
  int32_t *freed;
  size_t freed_n, freed_cap;
} one_port;

static inline busy_port *port_out(one_port *o, int rank) { return &o->port[2 * rank]; }
static inline busy_port *port_in(one_port *o, int rank) { return &o->port[2 * rank + 1]; }

/* A rank's messages that could start at one instant do so in its program order: they are numbered that way. */
static void message_happens_at(one_port *o, int32_t id, double time) { event_queue_add(&o->queue, (uint64_t)id, time); }

/* ---- ports ------------------------------------------------------------------------------------------ */

static const char *one_port_prepare(void *state, engine *e) {
  one_port *o = state;
  size_t ports = 2 * (size_t)e->wiring.ranks;
  RESERVE(o->port, o->port_cap, ports);
  for (size_t i = 0; i < ports; i++) o->port[i] = (busy_port){ .head = NONE, .tail = NONE, .last = NONE };
  event_queue_clear(&o->queue);
  return NULL;
}

static void one_port_launch(void *state, engine *e, int32_t id) {
  one_port *o = state;
  message *m = &e->wiring.message[id];
  /* Segments are not part of the one-port model: they take the time of a message and no port. */
  if (m->flags & TRANSFER) {
    const machine_piece *c = engine_price(e, m);
    m->flags |= STARTED;
    message_happens_at(o, id, m->time + c->latency_s + (double)m->bytes * c->s_per_byte);
  } else message_happens_at(o, id, m->time);
}

static void queue_at(engine *e, busy_port *q, int32_t id) {
  message *m = &e->wiring.message[id];
  if (q->head == NONE) {
    m->link = NONE;
    q->head = q->tail = id;
  } else if (e->wiring.message[q->tail].time <= m->time) {
    m->link = NONE;
    e->wiring.message[q->tail].link = id;
    q->tail = id;
  } else if (m->time < e->wiring.message[q->head].time) {
    m->link = q->head;
    q->head = id;
  } else {
    int32_t at = q->head;
    while (e->wiring.message[e->wiring.message[at].link].time <= m->time) at = e->wiring.message[at].link;
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
  busy_port *out = port_out(o, m->src), *in = port_in(o, m->dst);
  double start = m->time;
  int32_t before = NONE;
  if (is_later(start, m->count, out->since, out->count)) before = out->last;
  take_later(&start, &m->count, out->since, out->count);
  if (is_later(start, m->count, in->since, in->count)) before = in->last;
  take_later(&start, &m->count, in->since, in->count);
  if (causes_enabled(e->why)) causes_start(e->why, id, before, start);
  if (e->times) e->times[id].start = start;
  out->busy = in->busy = true;
  m->flags |= STARTED;
  const machine_piece *c = engine_price(e, m);
  double waits = c->latency_s - message_spent(m, c, e->m), more = latency_drawn(e, id, waits) - waits;
  message_happens_at(o, id,
                     start + c->latency_s - message_spent(m, c, e->m) +
                         ((double)m->bytes + e->m->control_bytes) * c->s_per_byte + more);
}

/* Starts a message, or lines it up at a port that is busy. */
static void one_port_try(one_port *o, engine *e, int32_t id) {
  message *m = &e->wiring.message[id];
  busy_port *out = port_out(o, m->src), *in = port_in(o, m->dst);
  if (out->busy) queue_at(e, out, id);
  else if (in->busy) queue_at(e, in, id);
  else one_port_start(o, e, id);
}

static bool one_port_next(void *state, engine *e) {
  double time;
  bool any = event_queue_next(&((one_port *)state)->queue, &time);
  return engine_move(e, any, any ? time : 0);
}

static void message_happens(one_port *o, engine *e, int32_t id, double time) {
  message *m = &e->wiring.message[id];
  if (!(m->flags & STARTED)) {
    PUSH(o->ready, o->ready_n, o->ready_cap, id);
    return;
  }
  engine_complete(e, id, time);
  if (m->flags & TRANSFER) return;
  busy_port *out = port_out(o, m->src), *in = port_in(o, m->dst);
  out->busy = in->busy = false;
  out->since = in->since = time;
  out->last = in->last = id;
  out->count = in->count = m->count;
  PUSH(o->freed, o->freed_n, o->freed_cap, 2 * m->src);
  PUSH(o->freed, o->freed_n, o->freed_cap, 2 * m->dst + 1);
}

static void one_port_events(void *state, engine *e) {
  one_port *o = state;
  o->ready_n = o->freed_n = 0;
  double time;
  while (event_queue_next(&o->queue, &time) && time <= e->now + tolerance(e->now)) {
    moment *q = event_queue_take(&o->queue);
    for (size_t i = 0; i < q->n; i++) message_happens(o, e, (int32_t)q->item[i], q->time);
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
  event_queue_free(&o->queue);
  free(o->port);
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
