#include "core/runtime/observe.h"

#include <stdio.h>
#include <stdlib.h>

struct coll_observer {
  double (*clock)(void);
  const coll_operations *ops; /* of the back-end, and its state */
  void *self;
  observe_event *event;
  size_t events, room;
  size_t *first; /* [repetitions] index of its first event */
  int repetitions, repetitions_room;
  size_t *pending; /* [requests] by coll_req: index of its event, while it is not waited for */
  int requests;
  bool waiting; /* for requests of the algorithm, not of the back-end */
};

static void *grown(void *old, size_t bytes) {
  void *p = realloc(old, bytes);
  if (!p) {
    fprintf(stderr, "collscope: out of memory for observations (%zu bytes)\n", bytes);
    abort();
  }
  return p;
}

coll_observer *observe_make(double (*clock)(void)) {
  coll_observer *o = grown(NULL, sizeof *o);
  *o = (coll_observer){ .clock = clock };
  return o;
}

void observe_free(coll_observer *o) {
  free(o->event);
  free(o->first);
  free(o->pending);
  free(o);
}

void observe_repetition(coll_observer *o, int i) {
  if (i >= o->repetitions_room) {
    o->repetitions_room = 2 * i + 8;
    o->first = grown(o->first, sizeof *o->first * (size_t)o->repetitions_room);
  }
  o->events = i == 0 ? 0 : i < o->repetitions ? o->first[i] : o->events;
  o->first[i] = o->events;
  o->repetitions = i + 1;
}

const observe_event *observe_events(const coll_observer *o, int i, size_t *n) {
  *n = (i + 1 < o->repetitions ? o->first[i + 1] : o->events) - o->first[i];
  return o->event + o->first[i];
}

const char *observe_kind_name(observe_kind k) {
  static const char *const names[] = { "send", "recv",  "isend", "irecv",   "wait", "reduce",
                                       "copy", "write", "read",  "publish", "await" };
  return names[k];
}

/* ---- noting ----------------------------------------------------------------------------------------- */

/* The context as the back-end knows it: the same but for the operations. */
static coll_ctx below(const coll_ctx *c) {
  const coll_observer *o = c->self;
  coll_ctx inner = *c;
  inner.ops = o->ops;
  inner.self = o->self;
  return inner;
}

static int world(const coll_ctx *c, int rank) { return c->world ? c->world[rank] : rank; }

static observe_event *note(const coll_ctx *c, observe_kind kind, int peer, size_t n, double begin) {
  coll_observer *o = c->self;
  double now = o->clock();
  if (o->events == o->room) {
    o->room = o->room ? 2 * o->room : 256;
    o->event = grown(o->event, sizeof *o->event * o->room);
  }
  observe_event *e = &o->event[o->events++];
  *e = (observe_event){
    .kind = kind, .peer = peer, .label = c->label, .bytes = n * c->elem, .begin_s = begin, .end_s = now, .done_s = now
  };
  return e;
}

static double now(const coll_ctx *c) { return ((coll_observer *)c->self)->clock(); }

static void remember(coll_observer *o, coll_req r) {
  if (r >= o->requests) {
    o->requests = 2 * r + 8;
    o->pending = grown(o->pending, sizeof *o->pending * (size_t)o->requests);
  }
  o->pending[r] = o->events - 1;
}

/* ---- the operations --------------------------------------------------------------------------------- */

static void observed_send(coll_ctx *c, const void *buf, size_t n, int to) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_send(&inner, buf, n, to);
  note(c, OBSERVE_SEND, world(c, to), n, begin);
}

static void observed_recv(coll_ctx *c, void *buf, size_t n, int from) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_recv(&inner, buf, n, from);
  note(c, OBSERVE_RECV, world(c, from), n, begin);
}

static void observed_sendrecv(coll_ctx *c, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_sendrecv(&inner, sbuf, sn, to, rbuf, rn, from);
  double end = note(c, OBSERVE_SEND, world(c, to), sn, begin)->end_s;
  observe_event *e = note(c, OBSERVE_RECV, world(c, from), rn, begin);
  e->end_s = e->done_s = end;
}

static int observed_recv_any(coll_ctx *c, void *buf, size_t n) {
  coll_ctx inner = below(c);
  double begin = now(c);
  int from = coll_recv_any(&inner, buf, n);
  note(c, OBSERVE_RECV, world(c, from), n, begin);
  return from;
}

static coll_req observed_isend(coll_ctx *c, const void *buf, size_t n, int to) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_req r = coll_isend(&inner, buf, n, to);
  note(c, OBSERVE_ISEND, world(c, to), n, begin);
  remember(c->self, r);
  return r;
}

static coll_req observed_irecv(coll_ctx *c, void *buf, size_t n, int from) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_req r = coll_irecv(&inner, buf, n, from);
  note(c, OBSERVE_IRECV, world(c, from), n, begin);
  remember(c->self, r);
  return r;
}

static const double waited_for = -1; /* done_s while a wait for it is on */

void observe_done(coll_observer *o, coll_req r) {
  if (o->waiting) o->event[o->pending[r]].done_s = o->clock(); /* a message in parts: the last one counts */
}

/* The wait sets its requests to 0: so their events are marked before it. Who was not heard of alone was through at the end. */
static void observed_waitall(coll_ctx *c, int k, coll_req *reqs) {
  coll_observer *o = c->self;
  size_t first = o->events;
  for (int i = 0; i < k; i++)
    if (reqs[i]) {
      size_t event = o->pending[reqs[i]];
      o->event[event].done_s = waited_for;
      if (event < first) first = event;
    }
  if (first == o->events) return;
  coll_ctx inner = below(c);
  double begin = now(c);
  o->waiting = true;
  coll_waitall(&inner, k, reqs);
  o->waiting = false;
  double end = note(c, OBSERVE_WAIT, -1, 0, begin)->end_s;
  for (size_t i = first; i < o->events; i++)
    if (o->event[i].done_s == waited_for) o->event[i].done_s = end;
}

static void observed_reduce(coll_ctx *c, const void *left, void *right, size_t n) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_reduce(&inner, left, right, n);
  note(c, OBSERVE_REDUCE, -1, n, begin);
}

static void observed_copy(coll_ctx *c, void *dst, const void *src, size_t n) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_copy(&inner, dst, src, n);
  if (dst != src && n) note(c, OBSERVE_COPY, -1, n, begin);
}

static void *observed_scratch(coll_ctx *c, size_t n) {
  coll_ctx inner = below(c);
  return coll_scratch(&inner, n);
}

static void *observed_keep(coll_ctx *c, size_t bytes) {
  coll_ctx inner = below(c);
  return coll_keep(&inner, bytes);
}

static coll_seg observed_seg_open(coll_ctx *c, size_t n, int flags) {
  coll_ctx inner = below(c);
  return coll_seg_open(&inner, n, flags);
}

static void *observed_seg_part(coll_ctx *c, coll_seg s) {
  coll_ctx inner = below(c);
  return coll_seg_part(&inner, s);
}

static void observed_seg_write(coll_ctx *c, coll_seg s, int home, size_t off, const void *src, size_t n) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_seg_write(&inner, s, home, off, src, n);
  note(c, OBSERVE_WRITE, world(c, home), n, begin);
}

static void observed_seg_read(coll_ctx *c, coll_seg s, int home, size_t off, void *dst, size_t n) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_seg_read(&inner, s, home, off, dst, n);
  note(c, OBSERVE_READ, world(c, home), n, begin);
}

static void observed_publish(coll_ctx *c, coll_seg s, int home, int flag, uint64_t value) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_publish(&inner, s, home, flag, value);
  note(c, OBSERVE_PUBLISH, world(c, home), 0, begin);
}

static void observed_await(coll_ctx *c, coll_seg s, int home, int flag, uint64_t value) {
  coll_ctx inner = below(c);
  double begin = now(c);
  coll_await(&inner, s, home, flag, value);
  note(c, OBSERVE_AWAIT, world(c, home), 0, begin);
}

static const coll_operations observed = {
  .send = observed_send,
  .recv = observed_recv,
  .sendrecv = observed_sendrecv,
  .recv_any = observed_recv_any,
  .isend = observed_isend,
  .irecv = observed_irecv,
  .waitall = observed_waitall,
  .reduce = observed_reduce,
  .copy = observed_copy,
  .scratch = observed_scratch,
  .keep = observed_keep,
  .seg_open = observed_seg_open,
  .seg_part = observed_seg_part,
  .seg_write = observed_seg_write,
  .seg_read = observed_seg_read,
  .publish = observed_publish,
  .await = observed_await,
};

void observe_context(coll_observer *o, coll_ctx *c) {
  o->ops = c->ops;
  o->self = c->self;
  c->ops = &observed;
  c->self = o;
}
