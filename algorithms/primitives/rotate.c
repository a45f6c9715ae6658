#include "primitives/rotate.h"

#include "patterns/ring.h"

void coll_rotate_in_turn(coll_ctx *c, const coll_args *a, bool sends_first) {
  if (!a->count) return;
  if (c->size == 1) {
    coll_copy(c, a->out, a->in, a->count);
    return;
  }
  int left = coll_ring_left(c->size, c->rank), right = coll_ring_right(c->size, c->rank);
  if (sends_first) {
    coll_send(c, a->in, a->count, left);
    coll_recv(c, a->out, a->count, right);
    return;
  }
  void *arrive = a->in_place ? coll_scratch(c, a->count) : a->out;
  coll_recv(c, arrive, a->count, right);
  coll_send(c, a->in, a->count, left);
  coll_copy(c, a->out, arrive, a->count);
}
