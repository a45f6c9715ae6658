/* The broadcasts of lab 2. Every rank runs the same function: ask c->rank who you are. */
#include "collscope.h"

/* The root sends to every other rank, one after the other. */
static void flat(coll_ctx *c, const coll_args *a) {
  if (a->count == 0) return;
  /* task 1: the root sends to each other rank; every other rank receives from the root */
}

/* Each rank receives from the one before it, counted from the root, and sends to the one after it. */
static void chain(coll_ctx *c, const coll_args *a) {
  if (a->count == 0) return;
  /* task 2 */
}

/* Whoever has the data sends it on: 1, 2, 4, … ranks have it. */
static void binomial(coll_ctx *c, const coll_args *a) {
  if (a->count == 0) return;
  /* task 3 */
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
