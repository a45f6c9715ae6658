#include "primitives/torus.h"

const char *const coll_torus_ports[] = { "one", "all" };

coll_torus_call coll_torus_here(const coll_args *a, int rank, size_t n, bool ports) {
  coll_torus_call t = { .rank = rank, .parts = 1, .n = n };
  coll_torus_make(&t.torus, a->size, a->param[0], a->param[1]);
  if (ports && t.torus.dims) t.parts = 2 * t.torus.dims;
  return t;
}

const char *coll_torus_supports(const coll_args *a) {
  coll_torus t;
  return coll_torus_make(&t, a->size, a->param[0], a->param[1]);
}

/* A part's dimensions take their turns from its own one downwards; what one leaves, blocks side by side, the next one shares out. So
 * with one part the last dimension is the first, and blocks end in the order of ranks. Half of the parts go round to the left. */
static coll_round ring_round(const void *how, int part, int i) {
  const coll_torus_call *t = how;
  int dims = t->torus.dims, blocks = t->torus.p, first = 0;
  bool left = part >= dims;
  for (int turn = 0;; turn++) {
    int d = t->torus.dim[(2 * dims - 1 - part % dims - turn) % dims], extent = t->torus.extent[d];
    int at = coll_torus_at(&t->torus, t->rank, d);
    if (left) at = extent - 1 - at;
    blocks /= extent;
    if (i < extent - 1)
      return (coll_round){ .to = coll_torus_moved(&t->torus, t->rank, d, left ? -1 : 1),
                           .from = coll_torus_moved(&t->torus, t->rank, d, left ? 1 : -1),
                           .give = first + (at + 2 * extent - 1 - i) % extent * blocks,
                           .take = first + (at + 2 * extent - 2 - i) % extent * blocks,
                           .blocks = blocks };
    i -= extent - 1;
    first += at * blocks;
  }
}

static coll_span even(const void *how, int part, int lo, int hi) {
  const coll_torus_call *t = how;
  return coll_rounds_even(t->n, t->parts, part, t->torus.p, lo, hi);
}

static int rounds(const coll_torus *t) {
  int n = 0;
  for (int i = 0; i < t->dims; i++) n += t->extent[t->dim[i]] - 1;
  return n;
}

coll_rounds coll_bucket_rounds(const coll_torus_call *t) {
  return (coll_rounds){ t->parts, rounds(&t->torus), ring_round, even, t };
}

void coll_bucket_torus_reduce_scatter(coll_ctx *c, const coll_args *a, size_t n) {
  if (!n) return;
  coll_torus_call t = coll_torus_here(a, c->rank, n, false);
  coll_rounds w = coll_bucket_rounds(&t);
  coll_span own = coll_block(n, c->size, c->rank);
  void *sum = coll_scratch(c, n);
  coll_copy(c, sum, a->in, n);
  coll_rounds_reduce_scatter(c, &w, sum, w.rounds ? coll_scratch(c, n) : NULL);
  coll_copy(c, a->out, coll_at(c, sum, own.first), own.count);
}

double coll_bucket_torus_cost(const coll_torus_call *t, double n, double alpha, double beta, double gamma) {
  double p = t->torus.p;
  return n > 0 ? t->parts * rounds(&t->torus) * alpha + (p - 1) / p * n * (beta + gamma) : 0;
}
