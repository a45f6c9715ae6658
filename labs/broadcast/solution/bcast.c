/* The broadcasts of lab 2. */
#include "collscope.h"

/* The root sends to every other rank, one after the other. */
static void flat(coll_ctx *c, const coll_args *a) {
  if (a->count == 0) return;
  if (c->rank == a->root) {
    for (int r = 0; r < c->size; r++)
      if (r != a->root) coll_send(c, a->out, a->count, r);
  } else {
    coll_recv(c, a->out, a->count, a->root);
  }
}

/* Each rank receives from the one before it, counted from the root, and sends to the one after it. */
static void chain(coll_ctx *c, const coll_args *a) {
  if (a->count == 0) return;
  int v = (c->rank - a->root + c->size) % c->size;
  int before = (c->rank - 1 + c->size) % c->size;
  int after = (c->rank + 1) % c->size;
  if (v > 0) coll_recv(c, a->out, a->count, before);
  if (v < c->size - 1) coll_send(c, a->out, a->count, after);
}

/* In the round of distance d the ranks 0 … d-1, counted from the root, have the data; each sends to the one d further on. */
static void binomial(coll_ctx *c, const coll_args *a) {
  if (a->count == 0) return;
  int v = (c->rank - a->root + c->size) % c->size;
  for (int d = 1; d < c->size; d *= 2) {
    if (v < d && v + d < c->size) {
      coll_send(c, a->out, a->count, (v + d + a->root) % c->size);
    } else if (v >= d && v < 2 * d) {
      coll_recv(c, a->out, a->count, (v - d + a->root) % c->size);
    }
  }
}

const coll_alg bcast_my_flat = {
  .key = "bcast/my_flat",
  .collective = COLL_BCAST,
  .summary = "the root sends to every rank",
  .run = flat,
};
const coll_alg bcast_my_chain = {
  .key = "bcast/my_chain",
  .collective = COLL_BCAST,
  .summary = "each rank sends to the next",
  .run = chain,
};
const coll_alg bcast_my_binomial = {
  .key = "bcast/my_binomial",
  .collective = COLL_BCAST,
  .summary = "whoever has the data sends it on",
  .run = binomial,
};
