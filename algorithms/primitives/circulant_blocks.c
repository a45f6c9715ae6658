#include "primitives/circulant_blocks.h"

#include "patterns/lg.h"
#include "patterns/segment.h"

coll_circulant_call coll_circulant_call_make(const coll_ctx *c, const coll_args *a) {
  coll_circulant_call x = { .graph = coll_circulant_make(c->size),
                            .root = a->root,
                            .v = (c->rank - a->root + c->size) % c->size,
                            .count = a->count,
                            .segment = coll_segment(a->count, a->elem, (size_t)a->param[0]) };
  x.blocks = coll_circulant_schedule(&x.graph, x.v);
  x.segments = (long)coll_segments(a->count, x.segment);
  x.rounds = x.segments - 1 + x.graph.q;
  return x;
}

coll_circulant_exchange coll_circulant_exchange_of(const coll_circulant_call *x, long round) {
  int p = x->graph.p;
  coll_circulant_step s = coll_circulant_step_of(&x->graph, &x->blocks, x->v, x->segments, round);
  return (coll_circulant_exchange){ .to = (s.to + x->root) % p,
                                    .from = (s.from + x->root) % p,
                                    .send = s.send,
                                    .receive = s.receive,
                                    .give = coll_segment_at(x->count, x->segment, s.send),
                                    .take = coll_segment_at(x->count, x->segment, s.receive) };
}

/* With a shorter last segment it takes a little less. */
double coll_circulant_blocks_cost(const coll_args *a, double alpha, double beta) {
  if (a->size < 2 || !a->count) return 0;
  size_t segment = coll_segment(a->count, a->elem, (size_t)a->param[0]);
  double rounds = (double)coll_segments(a->count, segment) - 1 + coll_lg_up(a->size);
  return rounds * (alpha + (double)(segment * a->elem) * beta);
}
