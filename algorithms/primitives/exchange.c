#include "primitives/exchange.h"

static coll_req take(coll_ctx *c, const coll_args *a, int step) {
  int from = (c->rank + step) % c->size;
  return coll_irecv(c, coll_at(c, a->out, (size_t)from * a->count), a->count, from);
}

/* own: the rank's one block goes to all. */
static coll_req give(coll_ctx *c, const coll_args *a, int step, bool own) {
  int to = (c->rank + c->size - step) % c->size;
  return coll_isend(c, coll_at(c, a->in, own ? 0 : (size_t)to * a->count), a->count, to);
}

static void exchange(coll_ctx *c, const coll_args *a, long window, bool own) {
  if (!a->count) return;
  size_t here = (size_t)c->rank * a->count;
  coll_copy(c, coll_at(c, a->out, here), coll_at(c, a->in, own ? 0 : here), a->count);
  int steps = c->size - 1, w = window > 0 && window < steps ? (int)window : steps;
  if (!steps) return;
  coll_req *taken = coll_keep(c, 2 * (size_t)w * sizeof *taken), *given = taken + w;
  for (int i = 0; i < w; i++) taken[i] = take(c, a, i + 1);
  for (int i = 0; i < w; i++) given[i] = give(c, a, i + 1, own);
  for (int i = w; i < steps; i++) {
    coll_wait(c, &taken[i % w]);
    taken[i % w] = take(c, a, i + 1);
    coll_wait(c, &given[i % w]);
    given[i % w] = give(c, a, i + 1, own);
  }
  coll_waitall(c, 2 * w, taken);
}

void coll_exchange(coll_ctx *c, const coll_args *a, long window) { exchange(c, a, window, false); }

void coll_exchange_own(coll_ctx *c, const coll_args *a, long window) { exchange(c, a, window, true); }
