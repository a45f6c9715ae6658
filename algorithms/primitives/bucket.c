#include "primitives/bucket.h"

#include "patterns/ring.h"
#include "primitives/ring.h"

void coll_bucket_allgather(coll_ctx *c, void *all, size_t n) { coll_ring_allgather_even(c, all, n, 0); }

/* in is the left operand, the block that arrived is the right one and takes the sum: so in stays as it is and nothing
 * is copied. Only in place is it the other way around in the last round, as the sum belongs where in's own block is. */
void coll_bucket_reduce_scatter(coll_ctx *c, const void *in, void *own, size_t n, const size_t *displs) {
  int p = c->size, right = coll_ring_right(p, c->rank), left = coll_ring_left(p, c->rank);
  const void *own_in = coll_at(c, in, coll_block_of(displs, n, p, c->rank).first);
  if (p == 1) {
    coll_copy(c, own, own_in, n);
    return;
  }
  bool in_place = own == own_in;
  int spares = p - 2 + in_place; /* how many blocks arrive in scratch; two buffers take turns */
  void *spare[2] = { NULL, NULL };
  for (int i = 0; i < spares && i < 2; i++) spare[i] = coll_scratch(c, coll_block_max_of(displs, n, p));

  /* Rank r sends block r-1 off first; it comes home to rank r-1 last. */
  const void *send = coll_at(c, in, coll_block_of(displs, n, p, left).first);
  for (int round = 0, block = left; round < p - 1; round++) {
    int next = coll_ring_left(p, block);
    coll_span s = coll_block_of(displs, n, p, block), r = coll_block_of(displs, n, p, next);
    bool last = round == p - 2;
    void *arrive = last && !in_place ? own : spare[round % 2];
    coll_sendrecv(c, send, s.count, right, arrive, r.count, left);
    if (last && in_place) coll_reduce(c, arrive, own, r.count);
    else coll_reduce(c, coll_at(c, in, r.first), arrive, r.count);
    send = arrive;
    block = next;
  }
}
