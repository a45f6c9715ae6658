/* The pipelined chain of lab 3. */
#include "collscope.h"
#include "patterns/segment.h"

/* While segment k is received, the one before it is sent on. */
static void pipeline(coll_ctx *c, const coll_args *a) { /* task 1 */ }

static const coll_param params[] = { COLL_SEGMENT_PARAM(0), { .name = NULL } };

const coll_alg bcast_my_pipeline = {
  .key = "bcast/my_pipeline",
  .collective = COLL_BCAST,
  .summary = "a chain in segments",
  .params = params,
  .run = pipeline,
};
