#include "primitives/rotate.h"

#include "patterns/ring.h"

void coll_rotate(coll_ctx *c, const coll_args *a, coll_rotate_exchange *exchange) {
  if (!a->count) return;
  if (c->size == 1) coll_copy(c, a->out, a->in, a->count);
  else exchange(c, a, coll_ring_left(c->size, c->rank), coll_ring_right(c->size, c->rank));
}

static void send_first(coll_ctx *c, const coll_args *a, int left, int right) {
  coll_send(c, a->in, a->count, left);
  coll_recv(c, a->out, a->count, right);
}

static void receive_first(coll_ctx *c, const coll_args *a, int left, int right) {
  void *arrive = a->in_place ? coll_scratch(c, a->count) : a->out;
  coll_recv(c, arrive, a->count, right);
  coll_send(c, a->in, a->count, left);
  coll_copy(c, a->out, arrive, a->count);
}

void coll_rotate_in_turn(coll_ctx *c, const coll_args *a, bool sends_first) {
  coll_rotate(c, a, sends_first ? send_first : receive_first);
}
