#include "primitives/allgather_blocks.h"

#include "patterns/block.h"
#include "primitives/ring.h"

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

typedef struct {
  const int *first;
  size_t m;
} cut;

static coll_span cut_block(const void *how, int i) {
  const cut *k = how;
  return blocks(k->first, k->m, i, i + 1);
}

void coll_blocks_ring(coll_ctx *c, void *all, size_t m, const int *first) {
  cut how = { first, m };
  coll_ring_allgather(c, all, c->rank, (coll_cut){ cut_block, &how });
}
