#include "primitives/circulant.h"

#include "patterns/block.h"
#include "patterns/circulant.h"
#include "patterns/lg.h"

/* Blocks lo … hi-1 of a turned vector, 0 <= lo <= hi <= p. */
static coll_span turned_blocks(const coll_ctx *c, size_t n, const size_t *displs, int lo, int hi) {
  size_t own = coll_block_first(displs, n, c->size, c->rank), bound[2];
  for (int i = 0; i < 2; i++) {
    int block = c->rank + (i ? hi : lo);
    bool wraps = block >= c->size;
    bound[i] = coll_block_first(displs, n, c->size, wraps ? block - c->size : block) + (wraps ? n : 0) - own;
  }
  return (coll_span){ bound[0], bound[1] - bound[0] };
}

void coll_circulant_turn(coll_ctx *c, void *turned, const void *in, size_t n, const size_t *displs) {
  size_t before = coll_block_first(displs, n, c->size, c->rank);
  coll_copy(c, turned, coll_at(c, in, before), n - before);
  coll_copy(c, coll_at(c, turned, n - before), in, before);
}

void coll_circulant_turn_back(coll_ctx *c, void *out, const void *turned, size_t n) {
  size_t before = coll_block(n, c->size, c->rank).first;
  coll_copy(c, coll_at(c, out, before), turned, n - before);
  coll_copy(c, out, coll_at(c, turned, n - before), before);
}

void coll_circulant_reduce_scatter(coll_ctx *c, void *turned, size_t n, const size_t *displs) {
  int p = c->size;
  if (p < 2) return;
  coll_circulant g = coll_circulant_make(p);
  void *coming = coll_scratch(c, turned_blocks(c, n, displs, 0, p - g.skip[g.q - 1]).count);
  for (int k = g.q; k-- > 0;) {
    int near = g.skip[k], far = g.skip[k + 1];
    coll_span leaves = turned_blocks(c, n, displs, near, far), stays = turned_blocks(c, n, displs, 0, far - near);
    coll_sendrecv(c, coll_at(c, turned, leaves.first), leaves.count, (c->rank + near) % p, coming, stays.count,
                  (c->rank + p - near) % p);
    coll_reduce(c, coming, turned, stays.count);
  }
}

void coll_circulant_allgather(coll_ctx *c, void *turned, size_t n) {
  int p = c->size;
  coll_circulant g = coll_circulant_make(p);
  for (int k = 0; k < g.q; k++) {
    int near = g.skip[k], far = g.skip[k + 1];
    coll_span has = turned_blocks(c, n, NULL, 0, far - near), comes = turned_blocks(c, n, NULL, near, far);
    coll_sendrecv(c, turned, has.count, (c->rank + p - near) % p, coll_at(c, turned, comes.first), comes.count,
                  (c->rank + near) % p);
  }
}

void coll_circulant_reduce_scatter_to(coll_ctx *c, const void *in, void *out, size_t n, const size_t *displs) {
  void *turned = coll_scratch(c, n);
  coll_circulant_turn(c, turned, in, n, displs);
  coll_circulant_reduce_scatter(c, turned, n, displs);
  coll_copy(c, out, turned, coll_block_of(displs, n, c->size, c->rank).count);
}

double coll_circulant_cost(int p, double n, double alpha, double beta, double gamma) {
  return n > 0 ? coll_lg_up(p) * alpha + (p - 1.0) / p * n * (beta + gamma) : 0;
}
