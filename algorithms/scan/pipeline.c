/* scan/pipeline[s]
 * Idea     as scan/linear, in segments that follow each other from rank to rank
 * Rounds   p-2 + n/s
 * Cost     (p-2 + n/s) (alpha + s beta + s gamma)          n = bytes; exact for any p > 2 when segments are even; between two ranks a segment
 *          comes while the one before is added
 * Needs    any p, any count; keeps the rank order
 * Scratch  two segments
 * Source   Sanders and Träff 2006, doi:10.1007/11846802_15
 *
 *          rank 0   rank 1   rank 2        two segments
 *  start   aa       bb       cc
 *  1       aa       Sb       cc            0 → 1: S = ab
 *  2       aa       SS       Xc            0 → 1, 1 → 2: X = abc
 *  3       aa       SS       XX            1 → 2
 */
#include "primitives/even_segments.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count, length = coll_segment(n, a->elem, (size_t)a->param[0]), segments = coll_segments(n, length);
  coll_copy(c, a->out, a->in, n);
  if (c->size < 2 || !n) return;
  void *inbox[2] = { NULL, NULL };
  for (size_t i = 0; i < 2 && i < segments && c->rank; i++) inbox[i] = coll_scratch(c, length);
  coll_req coming[2] = { 0, 0 };
  for (long i = 0; i < (long)segments; i++) {
    coll_span now = coll_segment_at(n, length, i), next = coll_segment_at(n, length, i + 1);
    void *sum = coll_at(c, a->out, now.first);
    if (c->rank) {
      if (!i) coming[0] = coll_irecv(c, inbox[0], now.count, c->rank - 1);
      if (next.count) coming[(i + 1) & 1] = coll_irecv(c, inbox[(i + 1) & 1], next.count, c->rank - 1);
      coll_wait(c, &coming[i & 1]);
      coll_reduce(c, inbox[i & 1], sum, now.count);
    }
    if (c->rank + 1 < c->size) coll_send(c, sum, now.count, c->rank + 1);
  }
}

/* The last segment goes through all ranks; before it each of the others holds up a rank in the middle for its message and its sum. */
static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  size_t length = coll_segment(a->count, a->elem, (size_t)a->param[0]);
  double before = (double)coll_segments(a->count, length) - 1, bytes = (double)(length * a->elem);
  double message = alpha + bytes * beta, sum = bytes * gamma;
  return (a->size - 1) * (message + sum) + before * (a->size > 2 ? message + sum : message > sum ? message : sum);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg scan_pipeline = {
  .key = "scan/pipeline",
  .collective = COLL_SCAN,
  .summary = "add up from rank to rank, segment after segment",
  .source = "Sanders and Träff 2006, doi:10.1007/11846802_15",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = coll_even_segments,
};
