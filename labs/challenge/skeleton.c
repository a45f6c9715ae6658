/* The broadcast of lab 9: anything goes, as long as it is right. */
#include "collscope.h"
#include "patterns/segment.h"

static void best(coll_ctx *c, const coll_args *a) {
  if (a->count == 0 || c->size == 1) return;
  size_t bytes = a->count * a->elem; /* choose by bytes, c->size and c->place */
  (void)bytes;
}

const coll_alg bcast_my_best = {
  .key = "bcast/my_best",
  .collective = COLL_BCAST,
  .summary = "the best that I have found",
  .flags = COLL_PLACES,
  .ports = COLL_PORTS_MANY,
  .run = best,
};
