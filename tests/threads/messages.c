/* Messages between threads, matched as MPI promises. */
#include <stdlib.h>
#include <string.h>

#include "tests/threads/world.h"

static void append(queue *q, transfer *t) {
  t->next = NULL;
  *q->end = t;
  q->end = &t->next;
}

static void take_out(queue *q, transfer **at) {
  transfer *t = *at;
  *at = t->next;
  if (!t->next) q->end = at;
}

static bool fits(const transfer *send, const transfer *recv) {
  return (recv->from < 0 || recv->from == send->from) && recv->label == send->label && recv->epoch == send->epoch;
}

static transfer *new_transfer(coll_ctx *c, int from, int to, const void *buf, size_t n) {
  threads_call *s = c->self;
  transfer *t = threads_allocate(sizeof *t);
  *t = (transfer){ .from = from, .to = to, .label = c->label, .bytes = n * c->elem, .data = (char *)buf };
  if (s->alg->flags & COLL_ANY_SOURCE) t->epoch = s->epoch; /* as core/runtime/mpi.c does with tags */
  return t;
}

static void check_size(const threads_call *s, const transfer *send, const transfer *recv) {
  if (send->bytes != recv->bytes) threads_give_up(s, "a message and its receive differ in size");
}

static void set_done(threads_world *w, transfer *t, int waiting) {
  threads_enter(w);
  t->done = true;
  threads_wake(w, waiting);
  threads_leave(w);
}

/* Data goes straight from sender to receiver by whoever comes second; an eager message is a copy that its receiver takes. */
static transfer *start_send(coll_ctx *c, const void *buf, size_t n, int to) {
  threads_call *s = threads_shaken(c);
  threads_world *w = s->w;
  transfer *t = new_transfer(c, threads_peer_of(c, c->rank), threads_peer_of(c, to), buf, n), **at;
  t->eager = t->bytes <= w->eager;
  if (t->eager) {
    t->data = threads_allocate(t->bytes);
    if (n) memcpy(t->data, buf, t->bytes);
  }
  threads_tell(t);
  threads_enter(w);
  for (at = &w->posted[t->to].first; *at && !fits(t, *at);) at = &(*at)->next;
  transfer *recv = *at;
  if (recv) take_out(&w->posted[t->to], at);
  else append(&w->sent[t->to], t);
  threads_wake(w, t->to); /* who may wait for any source */
  bool eager = t->eager;  /* once the lock is gone, t may be, too */
  if (recv && eager) {
    recv->message = t;
    recv->done = true;
  }
  threads_leave(w);
  if (eager) return NULL;
  if (recv) {
    threads_hear(recv);
    check_size(s, t, recv);
    if (n) memcpy(recv->data, buf, t->bytes);
    threads_tell(recv);
    t->done = true;
    set_done(w, recv, t->to);
  }
  return t;
}

static void take_message(const threads_call *s, transfer *message, transfer *recv) {
  threads_hear(message);
  check_size(s, message, recv);
  if (recv->bytes) memcpy(recv->data, message->data, recv->bytes);
  if (message->eager) {
    free(message->data);
    free(message);
  } else {
    int from = message->from; /* after threads_tell() the message is the sender's again */
    threads_tell(message);
    set_done(s->w, message, from);
  }
}

static transfer *start_recv(coll_ctx *c, void *buf, size_t n, int from) {
  threads_call *s = threads_shaken(c);
  threads_world *w = s->w;
  transfer *t = new_transfer(c, threads_peer_of(c, from), threads_peer_of(c, c->rank), buf, n), **at;
  threads_tell(t);
  threads_enter(w);
  for (at = &w->sent[t->to].first; *at && !fits(*at, t);) at = &(*at)->next;
  transfer *message = *at;
  if (message) take_out(&w->sent[t->to], at);
  else append(&w->posted[t->to], t);
  threads_leave(w);
  if (message) {
    take_message(s, message, t);
    t->done = true;
  }
  return t;
}

static void finish(coll_ctx *c, transfer *t) {
  threads_call *s = c->self;
  if (!t) return;
  threads_enter(s->w);
  while (!t->done) threads_wait(s->w, threads_peer_of(c, c->rank));
  threads_leave(s->w);
  threads_hear(t);
  if (t->message) take_message(s, t->message, t);
  free(t);
}

void threads_op_send(coll_ctx *c, const void *buf, size_t n, int to) { finish(c, start_send(c, buf, n, to)); }
void threads_op_recv(coll_ctx *c, void *buf, size_t n, int from) { finish(c, start_recv(c, buf, n, from)); }

void threads_op_sendrecv(coll_ctx *c, const void *sbuf, size_t sn, int to, void *rbuf, size_t rn, int from) {
  transfer *recv = start_recv(c, rbuf, rn, from);
  threads_op_send(c, sbuf, sn, to);
  finish(c, recv);
}

/* One of the sources whose message is there, drawn by lot. */
static transfer **any_of(threads_call *s, transfer *recv) {
  transfer **found = NULL;
  unsigned sources = 0;
  for (transfer **at = &s->w->sent[recv->to].first; *at; at = &(*at)->next) {
    if (!fits(*at, recv)) continue;
    bool later = false; /* messages of one source keep their order */
    for (transfer *t = s->w->sent[recv->to].first; t != *at; t = t->next)
      later |= fits(t, recv) && t->from == (*at)->from;
    if (!later && threads_draw(s) % ++sources == 0) found = at;
  }
  return found;
}

int threads_op_recv_any(coll_ctx *c, void *buf, size_t n) {
  threads_call *s = threads_shaken(c);
  if (!(s->alg->flags & COLL_ANY_SOURCE))
    threads_give_up(s, "receives from any source; its descriptor must say COLL_ANY_SOURCE");
  transfer *t = new_transfer(c, -1, threads_peer_of(c, c->rank), buf, n), **at;
  threads_enter(s->w);
  while (!(at = any_of(s, t))) threads_wait(s->w, t->to);
  transfer *message = *at;
  int from = message->from;
  take_out(&s->w->sent[t->to], at);
  threads_leave(s->w);
  take_message(s, message, t);
  free(t);
  for (int i = 0; i < c->size; i++)
    if (threads_peer_of(c, i) == from) return i;
  threads_give_up(s, "a message from outside the group");
  return -1;
}

/* 0, no request, for an eager send: nothing is left to wait for. */
static coll_req requested(coll_ctx *c, transfer *t) {
  threads_call *s = c->self;
  if (!t) return 0;
  int i = 0;
  while (i < s->requests && s->request[i]) i++;
  if (i == s->requests) {
    s->request = realloc(s->request, sizeof *s->request * (size_t)++s->requests);
    if (!s->request) abort();
  }
  s->request[i] = t;
  return i + 1;
}

coll_req threads_op_isend(coll_ctx *c, const void *buf, size_t n, int to) {
  return requested(c, start_send(c, buf, n, to));
}
coll_req threads_op_irecv(coll_ctx *c, void *buf, size_t n, int from) {
  return requested(c, start_recv(c, buf, n, from));
}

void threads_op_waitall(coll_ctx *c, int k, coll_req *reqs) {
  threads_call *s = c->self;
  for (int i = 0; i < k; i++) {
    if (!reqs[i]) continue;
    finish(c, s->request[reqs[i] - 1]);
    s->request[reqs[i] - 1] = NULL;
    reqs[i] = 0;
  }
}
