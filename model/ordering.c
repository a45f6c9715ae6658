#include "model/ordering.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/schedule/array.h"

static const double AT_ONCE_S = 1e-12; /* as the plug-in: SimGrid's events are no more exact */

void ordering_clear(ordering *h, const engine *e, int nodes) {
  const machine *m = e->m;
  h->in_order = m->in_order;
  h->nic_gap_s = m->places ? m->nic_gap_s : 0;
  h->any = h->in_order || h->nic_gap_s > 0;
  h->starting_n = 0;
  h->serve_at = DBL_MAX;
  if (h->in_order) channels_clear(&h->streams);
  if (h->nic_gap_s > 0) {
    RESERVE(h->nic_free, h->nic_cap, (size_t)nodes);
    for (int n = 0; n < nodes; n++) h->nic_free[n] = 0;
  }
}

void ordering_free(ordering *h) {
  free(h->flow);
  free(h->starting);
  free(h->nic_free);
  channels_free(&h->streams);
}

/* What crosses a segment is not a message; it shares no connection with any. */
static bool in_stream(const ordering *h, const engine *e, int32_t flow) {
  return h->in_order && !(message_at(e, h->flow[flow].message)->flags & TRANSFER);
}

static channel *stream_of(ordering *h, const engine *e, int32_t flow) {
  const message *m = message_at(e, h->flow[flow].message);
  return channels_find(&h->streams, m->src, m->dst, 0);
}

/* Messages are numbered by sender and the order of the text, which is that of posting but where plans are played. */
static uint64_t turn_of(const engine *e, int32_t id) {
  return e->turn ? (uint64_t)message_at(e, id)->src << 32 | e->turn[id] : (uint64_t)id;
}

/* By their starts, for a rank that runs ahead posts messages of later, and its peers then let earlier ones start. Of one instant, the
 * one that was posted first. */
static bool precedes(const held *a, const held *b) {
  if (a->start < b->start - AT_ONCE_S) return true;
  return a->start <= b->start + AT_ONCE_S && a->turn < b->turn;
}

static void enter_stream(ordering *h, const engine *e, int32_t flow) {
  held *f = &h->flow[flow];
  channel *c = stream_of(h, e, flow);
  f->next = NONE;
  if (c->first == CHANNEL_NOBODY) {
    c->first = c->last = (uint32_t)flow;
  } else if (precedes(&h->flow[c->last], f)) {
    h->flow[c->last].next = flow;
    c->last = (uint32_t)flow;
  } else if (precedes(f, &h->flow[c->first])) {
    f->next = (int32_t)c->first;
    c->first = (uint32_t)flow;
  } else {
    int32_t at = (int32_t)c->first;
    while (precedes(&h->flow[h->flow[at].next], f)) at = h->flow[at].next;
    f->next = h->flow[at].next;
    h->flow[at].next = flow;
  }
}

double ordering_launch(ordering *h, const engine *e, int32_t flow, int32_t id, double latency_s) {
  const message *m = message_at(e, id);
  bool by_nic = h->nic_gap_s > 0 && !(m->flags & TRANSFER) && machine_class_of(e->m, m->src, m->dst) == MACHINE_NETWORK;
  RESERVE(h->flow, h->flow_cap, (size_t)flow + 1);
  h->flow[flow] = (held){
    .message = id, .turn = turn_of(e, id), .start = m->time, .ready = m->time + latency_s, .queued = by_nic
  };
  if (in_stream(h, e, flow)) enter_stream(h, e, flow);
  return by_nic ? m->time : m->time + latency_s;
}

bool ordering_pass(ordering *h, const engine *e, int32_t flow) {
  if (h->flow[flow].queued) {
    if (!h->starting_n) h->serve_at = h->flow[flow].start + AT_ONCE_S;
    PUSH(h->starting, h->starting_n, h->starting_cap, flow);
    return false;
  }
  if (!in_stream(h, e, flow) || stream_of(h, e, flow)->first == (uint32_t)flow) return true;
  h->flow[flow].behind = true;
  return false;
}

int32_t ordering_leave(ordering *h, const engine *e, int32_t flow) {
  if (!in_stream(h, e, flow)) return NONE;
  int32_t next = h->flow[flow].next;
  stream_of(h, e, flow)->first = next == NONE ? CHANNEL_NOBODY : (uint32_t)next;
  return next != NONE && h->flow[next].behind ? next : NONE;
}

/* By sender, and of one in the order of posting. */
static int by_message(const void *a, const void *b) {
  const held *x = *(held *const *)a, *y = *(held *const *)b;
  return (x->turn > y->turn) - (x->turn < y->turn);
}

size_t ordering_serve(ordering *h, const engine *e) {
  size_t n = h->starting_n;
  h->starting_n = 0;
  h->serve_at = DBL_MAX;
  held **in_turn = array_grow(NULL, n * sizeof *in_turn);
  for (size_t i = 0; i < n; i++) in_turn[i] = &h->flow[h->starting[i]];
  qsort(in_turn, n, sizeof *in_turn, by_message);
  for (size_t i = 0; i < n; i++) {
    held *f = in_turn[i];
    double *nic = &h->nic_free[e->m->place[message_at(e, f->message)->src].node];
    double begins = *nic > f->start ? *nic : f->start;
    *nic = begins + h->nic_gap_s;
    f->ready = fmax(f->ready + begins - f->start, e->now);
    f->queued = false;
  }
  free(in_turn);
  return n;
}
