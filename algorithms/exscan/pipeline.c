/* exscan/pipeline[s]
 * Idea     as exscan/linear, in segments that follow each other from rank to rank
 * Rounds   p-2 + n/s
 * Cost     (p-2 + n/s) (alpha + s beta + s gamma) - s gamma          n = bytes; exact for any p > 2 when segments are even; no sum between two
 *          ranks
 * Needs    any p, any count; keeps the rank order
 * Scratch  one vector
 * Source   Sanders and Träff 2006, doi:10.1007/11846802_15
 *
 *          rank 0   rank 1   rank 2        results; two segments
 *  start   --       --       --
 *  1       --       a-       --            0 → 1
 *  2       --       aa       S-            0 → 1, 1 → 2: S = ab
 *  3       --       aa       SS            1 → 2
 */
#include "primitives/even_segments.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count, length = coll_segment(n, a->elem, (size_t)a->param[0]);
  bool last = c->rank + 1 == c->size;
  if (c->size < 2 || !n) return;
  void *sum = NULL; /* with this rank's own: what goes on to the right */
  if (c->rank && !last) {
    sum = coll_scratch(c, n);
    coll_copy(c, sum, a->in, n);
  }
  coll_req coming[2] = { 0, 0 };
  for (long i = 0; i < (long)coll_segments(n, length); i++) {
    coll_span now = coll_segment_at(n, length, i), next = coll_segment_at(n, length, i + 1);
    const void *own = coll_at(c, a->in, now.first);
    if (c->rank) {
      if (!i) coming[0] = coll_irecv(c, coll_at(c, a->out, now.first), now.count, c->rank - 1);
      if (next.count) coming[(i + 1) & 1] = coll_irecv(c, coll_at(c, a->out, next.first), next.count, c->rank - 1);
      coll_wait(c, &coming[i & 1]);
    }
    if (last) continue;
    if (c->rank) coll_reduce(c, coll_at(c, a->out, now.first), coll_at(c, sum, now.first), now.count);
    coll_send(c, c->rank ? coll_at(c, sum, now.first) : own, now.count, c->rank + 1);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  size_t length = coll_segment(a->count, a->elem, (size_t)a->param[0]);
  double before = (double)coll_segments(a->count, length) - 1, bytes = (double)(length * a->elem);
  double message = alpha + bytes * beta, sum = bytes * gamma;
  return message + (a->size - 2) * (message + sum) + before * (message + (a->size > 2 ? sum : 0));
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg exscan_pipeline = {
  .key = "exscan/pipeline",
  .collective = COLL_EXSCAN,
  .summary = "add up from rank to rank, segment after segment",
  .source = "Sanders and Träff 2006, doi:10.1007/11846802_15",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = coll_even_segments,
};
