/* The reductions of lab 5. coll_reduce(c, left, right, n): right = left op right. */
#include "collscope.h"
#include "patterns/block.h"

/* Neighbours are combined first, then neighbouring pairs, …; rank 0 has the result, and sends it to the root. */
static void tree(coll_ctx *c, const coll_args *a) { /* task 1 */ }

static const char *power_of_two(const coll_args *a) {
  return a->size & (a->size - 1) ? "p is not a power of two; use the tree" : NULL;
}

/* Whole vectors are exchanged with the rank at distance 1, 2, 4, …, and combined. */
static void doubling(coll_ctx *c, const coll_args *a) { /* task 2 */ }

/* Blocks first … first + n - 1 of the vector cut into p. */
/* use it as blocks(c, a, first, n) */
static inline coll_span blocks(const coll_ctx *c, const coll_args *a, int first, int n) {
  return coll_blocks(a->count, c->size, first, first + n);
}

/* Rabenseifner: each exchange halves what a rank is responsible for; then the way back collects the parts. */
static void halving(coll_ctx *c, const coll_args *a) { /* task 3 */ }

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
