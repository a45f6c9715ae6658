/* The allgathers of lab 4. */
#include "collscope.h"

/* Block b of the result. */
/* use it as block(c, a, b) */
static inline void *block(coll_ctx *c, const coll_args *a, int b) { return coll_at(c, a->out, (size_t)b * a->count); }

/* Pass on, to the right, the block received last. */
static void ring(coll_ctx *c, const coll_args *a) { /* task 1 */ }

/* Exchange all that one has with the rank at distance 1, 2, 4, … */
static void doubling(coll_ctx *c, const coll_args *a) { /* task 2 */ }

static const char *power_of_two(const coll_args *a) {
  return a->size & (a->size - 1) ? "p is not a power of two; use the ring" : NULL;
}

/* Collect the blocks of the ranks to the right, own block first; in the end turn them into place. */
static void bruck(coll_ctx *c, const coll_args *a) { /* task 3 */ }

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
