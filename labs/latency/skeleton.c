/* The first messages of lab 1. Both ranks run the same function: ask c->rank who you are. */
#include "collscope.h"

/* The root, a->root, has a->count elements in a->out; the other rank gets them into its a->out. */
static void message(coll_ctx *c, const coll_args *a) {
  if (a->count == 0) return;
  /* task 1: the root sends to the other rank, which receives from the root */
}

/* Each rank has a->count elements in a->in; in the end both have all: rank 0's first, rank 1's behind them, in a->out. */
static void swap(coll_ctx *c, const coll_args *a) {
  if (a->count == 0) return;
  /* task 2 */
}

const coll_alg bcast_my_message = {
  .key = "bcast/my_message",
  .collective = COLL_BCAST,
  .summary = "one rank sends, the other receives",
  .run = message,
};
const coll_alg allgather_my_swap = {
  .key = "allgather/my_swap",
  .collective = COLL_ALLGATHER,
  .summary = "two ranks swap their data",
  .run = swap,
};
