#include "primitives/allgather_blocks.h"

#include "patterns/block.h"
#include "patterns/ring.h"

static coll_span blocks(const int *first, size_t m, int from, int to) {
  size_t lo = (size_t)(first ? first[from] : from), hi = (size_t)(first ? first[to] : to);
  return (coll_span){ lo * m, (hi - lo) * m };
}

void coll_blocks_doubling(coll_ctx *c, void *all, size_t m, const int *first) {
  for (int distance = 1; distance < c->size; distance *= 2) {
    int partner = c->rank ^ distance, mine = c->rank & -distance, theirs = partner & -distance;
    coll_span s = blocks(first, m, mine, mine + distance), r = blocks(first, m, theirs, theirs + distance);
    coll_sendrecv(c, coll_at(c, all, s.first), s.count, partner, coll_at(c, all, r.first), r.count, partner);
  }
}

void coll_blocks_ring(coll_ctx *c, void *all, size_t m, const int *first) {
  int p = c->size, right = coll_ring_right(p, c->rank), left = coll_ring_left(p, c->rank);
  for (int round = 0, block = c->rank; round < p - 1; round++) {
    int next = coll_ring_left(p, block);
    coll_span s = blocks(first, m, block, block + 1), r = blocks(first, m, next, next + 1);
    coll_sendrecv(c, coll_at(c, all, s.first), s.count, right, coll_at(c, all, r.first), r.count, left);
    block = next;
  }
}
