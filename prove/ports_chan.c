/* CHAN: a rank sends one message and receives one message at a time, and a message has both ports until it has
 * arrived. */
#include "engine.h"

static inline chan_port *way_out(engine *e, int r) { return &e->port[r]; }
static inline chan_port *way_in(engine *e, int r) { return &e->port[e->rec->args.size + r]; }

void chan_prepare(engine *e)
{
  size_t ports = 2 * (size_t)e->rec->args.size;
  RESERVE(e->port, e->port_cap, ports);
  for (size_t i = 0; i < ports; i++) e->port[i] = (chan_port){.head = NONE, .tail = NONE};
}

void chan_launch(engine *e, int32_t id)
{
  message *m = &e->message[id];
  /* Segments are no part of Chan's model: they take the time of a message and no port. */
  if (m->flags & TRANSFER) {
    const machine_piece *c = price(e, m);
    m->flags |= STARTED;
    engine_push(e, id, m->posted + c->latency_s + (double)m->bytes * c->s_per_byte);
  } else engine_push(e, id, m->posted);
}

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
  engine_push(e, id, m->start + c->latency_s + ((double)m->bytes + e->m->control_bytes) * c->s_per_byte);
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

void chan_events(engine *e)
{
  e->ready_n = e->freed_n = 0;
  while (e->heap_n && e->heap[0].time <= e->now + close_to(e->now)) {
    event v = engine_pop(e);
    message *m = &e->message[v.id];
    if (!(m->flags & STARTED)) { PUSH(e->ready, e->ready_n, e->ready_cap, v.id); continue; }
    engine_complete(e, v.id, v.time);
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
void chan_settle(engine *e)
{
  for (size_t i = 0; i < e->freed_n; i++) {
    chan_port *port = &e->port[e->freed[i]];
    while (!port->busy && port->head != NONE) chan_try(e, queue_take(e, port));
  }
  for (size_t i = 0; i < e->ready_n; i++) chan_try(e, e->ready[i]);
}
