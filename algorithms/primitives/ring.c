#include "primitives/ring.h"

#include "patterns/ring.h"

static coll_span piece_of(const size_t *displs, size_t n, int p, int block, int piece, int pieces) {
  coll_span b = coll_block_of(displs, n, p, block), s = coll_block(b.count, pieces, piece);
  return (coll_span){ b.first + s.first, s.count };
}

void coll_ring_reduce(coll_ctx *c, void *sum, size_t n, const size_t *displs, int ahead, int piece, int pieces,
                      void *const inbox[2]) {
  int p = c->size, right = coll_ring_right(p, c->rank), left = coll_ring_left(p, c->rank);
  int block = coll_ring_left(p, (c->rank + ahead) % p);
  coll_req coming[2] = { 0, 0 };
  coll_span s = piece_of(displs, n, p, block, piece, pieces);
  for (int round = 0; round < p - 1; round++) {
    int box = round & 1;
    block = coll_ring_left(p, block);
    coll_span next = piece_of(displs, n, p, block, piece, pieces);
    coming[box] = coll_irecv(c, inbox[box], next.count, left);
    if (round) {
      coll_wait(c, &coming[box ^ 1]);
      coll_reduce(c, inbox[box ^ 1], coll_at(c, sum, s.first), s.count);
    }
    coll_send(c, coll_at(c, sum, s.first), s.count, right);
    s = next;
  }
  coll_wait(c, &coming[p & 1]);
  coll_reduce(c, inbox[p & 1], coll_at(c, sum, s.first), s.count);
}

void coll_ring_allgather(coll_ctx *c, void *all, int own, coll_cut cut) {
  int p = c->size, right = coll_ring_right(p, c->rank), left = coll_ring_left(p, c->rank);
  for (int round = 0, block = own; round < p - 1; round++) {
    int next = coll_ring_left(p, block); /* what the left neighbour received last, or started with */
    coll_span s = cut.block(cut.how, block), r = cut.block(cut.how, next);
    coll_sendrecv(c, coll_at(c, all, s.first), s.count, right, coll_at(c, all, r.first), r.count, left);
    block = next;
  }
}

typedef struct {
  size_t n;
  int p;
} even;

static coll_span even_block(const void *how, int i) {
  const even *e = how;
  return coll_block(e->n, e->p, i);
}

void coll_ring_allgather_even(coll_ctx *c, void *all, size_t n, int ahead) {
  even how = { n, c->size };
  coll_ring_allgather(c, all, (c->rank + ahead) % c->size, (coll_cut){ even_block, &how });
}

void coll_ring_allreduce(coll_ctx *c, const coll_args *a, int pieces) {
  coll_copy(c, a->out, a->in, a->count);
  if (c->size < 2 || !a->count) return;
  size_t longest = coll_block_max(coll_block_max(a->count, c->size), pieces);
  void *inbox[2] = { coll_scratch(c, longest), c->size > 2 ? coll_scratch(c, longest) : NULL };
  for (int i = 0; i < pieces; i++) coll_ring_reduce(c, a->out, a->count, NULL, 1, i, pieces, inbox);
  coll_ring_allgather_even(c, a->out, a->count, 1);
}
