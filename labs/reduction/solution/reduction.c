/* The reductions of lab 5. coll_reduce(c, left, right, n): right = left op right. */
#include "collscope.h"
#include "patterns/block.h"

/* Neighbours are combined first, then neighbouring pairs, …; rank 0 has the result, and sends it to the root. */
static void tree(coll_ctx *c, const coll_args *a) {
  void *have = coll_scratch(c, a->count), *other = coll_scratch(c, a->count);
  coll_copy(c, have, a->in, a->count);
  for (int d = 1; d < c->size; d *= 2) {
    if (c->rank % (2 * d) != 0) {
      coll_send(c, have, a->count, c->rank - d);
      break;
    }
    if (c->rank + d < c->size) {
      coll_recv(c, other, a->count, c->rank + d);
      coll_reduce(c, have, other, a->count);
      void *swap = have;
      have = other;
      other = swap;
    }
  }
  if (c->rank == 0 && a->root == 0) coll_copy(c, a->out, have, a->count);
  else if (c->rank == 0) coll_send(c, have, a->count, a->root);
  else if (c->rank == a->root) coll_recv(c, a->out, a->count, 0);
}

static const char *power_of_two(const coll_args *a) {
  return a->size & (a->size - 1) ? "p is not a power of two; use the tree" : NULL;
}

/* Whole vectors are exchanged with the rank at distance 1, 2, 4, …, and combined. */
static void doubling(coll_ctx *c, const coll_args *a) {
  void *other = coll_scratch(c, a->count);
  coll_copy(c, a->out, a->in, a->count);
  for (int d = 1; d < c->size; d *= 2) {
    int partner = c->rank ^ d;
    coll_sendrecv(c, a->out, a->count, partner, other, a->count, partner);
    if (partner < c->rank) {
      coll_reduce(c, other, a->out, a->count);
    } else {
      coll_reduce(c, a->out, other, a->count);
      coll_copy(c, a->out, other, a->count);
    }
  }
}

/* Blocks first … first + n - 1 of the vector cut into p. */
static coll_span blocks(const coll_ctx *c, const coll_args *a, int first, int n) {
  return coll_blocks(a->count, c->size, first, first + n);
}

/* Rabenseifner: each exchange halves what a rank is responsible for; then the way back collects the parts. */
static void halving(coll_ctx *c, const coll_args *a) {
  int first = 0, n = c->size;
  void *other = coll_scratch(c, a->count);
  coll_copy(c, a->out, a->in, a->count);
  for (int d = 1; d < c->size; d *= 2) {
    int partner = c->rank ^ d;
    n /= 2;
    coll_span low = blocks(c, a, first, n), high = blocks(c, a, first + n, n);
    coll_span keep = c->rank & d ? high : low, give = c->rank & d ? low : high;
    if (c->rank & d) first += n;
    void *mine = coll_at(c, a->out, keep.first);
    coll_sendrecv(c, coll_at(c, a->out, give.first), give.count, partner, other, keep.count, partner);
    if (partner < c->rank) {
      coll_reduce(c, other, mine, keep.count);
    } else {
      coll_reduce(c, mine, other, keep.count);
      coll_copy(c, mine, other, keep.count);
    }
  }
  for (int d = c->size / 2; d > 0; d /= 2) {
    int partner = c->rank ^ d;
    coll_span mine = blocks(c, a, first, n), theirs = blocks(c, a, first ^ n, n);
    coll_sendrecv(c, coll_at(c, a->out, mine.first), mine.count, partner, coll_at(c, a->out, theirs.first),
                  theirs.count, partner);
    first &= ~n;
    n *= 2;
  }
}

const coll_alg reduce_my_tree = {
  .key = "reduce/my_tree",
  .collective = COLL_REDUCE,
  .summary = "combine neighbours, then pairs, …",
  .run = tree,
};
const coll_alg allreduce_my_doubling = {
  .key = "allreduce/my_doubling",
  .collective = COLL_ALLREDUCE,
  .summary = "exchange and combine whole vectors",
  .supports = power_of_two,
  .run = doubling,
};
const coll_alg allreduce_my_halving = {
  .key = "allreduce/my_halving",
  .collective = COLL_ALLREDUCE,
  .summary = "halve the vector, then collect the parts",
  .supports = power_of_two,
  .run = halving,
};
