/* The allgathers of lab 4. */
#include "collscope.h"

/* Block b of the result. */
static void *block(coll_ctx *c, const coll_args *a, int b) { return coll_at(c, a->out, (size_t)b * a->count); }

/* Pass on, to the right, the block received last. */
static void ring(coll_ctx *c, const coll_args *a) {
  int p = c->size, right = (c->rank + 1) % p, left = (c->rank - 1 + p) % p;
  coll_copy(c, block(c, a, c->rank), a->in, a->count);
  for (int k = 0; k < p - 1; k++) {
    int mine = (c->rank - k + p) % p;
    int next = (c->rank - k - 1 + p) % p;
    coll_sendrecv(c, block(c, a, mine), a->count, right, block(c, a, next), a->count, left);
  }
}

/* Exchange all that one has with the rank at distance 1, 2, 4, … */
static void doubling(coll_ctx *c, const coll_args *a) {
  coll_copy(c, block(c, a, c->rank), a->in, a->count);
  for (int d = 1; d < c->size; d *= 2) {
    int partner = c->rank ^ d;
    int mine = c->rank / d * d;
    int theirs = partner / d * d;
    coll_sendrecv(c, block(c, a, mine), (size_t)d * a->count, partner, block(c, a, theirs), (size_t)d * a->count,
                  partner);
  }
}

static const char *power_of_two(const coll_args *a) {
  return a->size & (a->size - 1) ? "p is not a power of two; use the ring" : NULL;
}

/* Collect the blocks of the ranks to the right, own block first; in the end turn them into place. */
static void bruck(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  char *have = coll_scratch(c, (size_t)p * a->count);
  coll_copy(c, have, a->in, a->count);
  for (int d = 1; d < p; d *= 2) {
    size_t n = (size_t)(d < p - d ? d : p - d) * a->count;
    int to = (c->rank - d + p) % p, from = (c->rank + d) % p;
    coll_sendrecv(c, have, n, to, coll_at(c, have, (size_t)d * a->count), n, from);
  }
  for (int i = 0; i < p; i++)
    coll_copy(c, block(c, a, (c->rank + i) % p), coll_at(c, have, (size_t)i * a->count), a->count);
}

const coll_alg allgather_my_ring = {
  .key = "allgather/my_ring",
  .collective = COLL_ALLGATHER,
  .summary = "pass blocks around a ring",
  .run = ring,
};
const coll_alg allgather_my_doubling = {
  .key = "allgather/my_doubling",
  .collective = COLL_ALLGATHER,
  .summary = "exchange all at distance 1, 2, 4, …",
  .supports = power_of_two,
  .run = doubling,
};
const coll_alg allgather_my_bruck = {
  .key = "allgather/my_bruck",
  .collective = COLL_ALLGATHER,
  .summary = "few rounds for any number of ranks",
  .run = bruck,
};
