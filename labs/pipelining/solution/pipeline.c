/* The pipelined chain of lab 3. */
#include "collscope.h"
#include "patterns/segment.h"

/* While segment k is received, the one before it is sent on. */
static void pipeline(coll_ctx *c, const coll_args *a) {
  if (a->count == 0 || c->size == 1) return;
  int p = c->size, v = (c->rank - a->root + p) % p;
  int before = (c->rank - 1 + p) % p, after = (c->rank + 1) % p;
  size_t each = coll_segment(a->count, a->elem, (size_t)a->param[0]);
  size_t segments = coll_segments(a->count, each);
  for (size_t k = 0; k <= segments; k++) {
    size_t begin = k * each;
    bool receives = v > 0 && k < segments;
    bool sends = v < p - 1 && k > 0;
    size_t in = k < segments - 1 ? each : a->count - (segments - 1) * each;
    size_t out = k < segments ? each : a->count - (segments - 1) * each;
    if (receives && sends)
      coll_sendrecv(c, coll_at(c, a->out, begin - each), out, after, coll_at(c, a->out, begin), in, before);
    else if (receives) coll_recv(c, coll_at(c, a->out, begin), in, before);
    else if (sends) coll_send(c, coll_at(c, a->out, begin - each), out, after);
  }
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(0), { .name = NULL } };

const coll_alg bcast_my_pipeline = {
  .key = "bcast/my_pipeline",
  .collective = COLL_BCAST,
  .summary = "a chain in segments",
  .params = params,
  .run = pipeline,
};
