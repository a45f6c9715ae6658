/* Cutting a vector into blocks, one a rank.
 *
 * The blocks are as even as can be: the first n mod p of them hold one element more. Where every rank has m elements
 * (gather, allgather, …) the vector holds p·m and all blocks come out as m, so one cut serves both.
 *
 *   coll_block(11, 4, i)   i = 0: 0 1 2   1: 3 4 5   2: 6 7 8   3: 9 10
 */
#ifndef COLLSCOPE_PATTERNS_BLOCK_H
#define COLLSCOPE_PATTERNS_BLOCK_H

#include <stddef.h>

typedef struct {
  size_t first, count;
} coll_span; /* elements first … first + count - 1 */

/* Block i of n elements cut into p. i = p is allowed: the empty block behind the last. */
static inline coll_span coll_block(size_t n, int p, int i) {
  size_t each = n / (size_t)p, longer = n % (size_t)p, k = (size_t)i;
  return (coll_span){ k * each + (k < longer ? k : longer), each + (k < longer) };
}

/* Blocks lo … hi-1, which lie side by side. */
static inline coll_span coll_blocks(size_t n, int p, int lo, int hi) {
  size_t first = coll_block(n, p, lo).first;
  return (coll_span){ first, coll_block(n, p, hi).first - first };
}

/* The longest block. */
static inline size_t coll_block_max(size_t n, int p) { return coll_block(n, p, 0).count; }

/* The same where displs says where each block begins and the last one ends: [p + 1], displs[p] = n. NULL: the even cut. */
static inline size_t coll_block_first(const size_t *displs, size_t n, int p, int i) {
  return displs ? displs[i] : coll_block(n, p, i).first;
}

static inline coll_span coll_blocks_of(const size_t *displs, size_t n, int p, int lo, int hi) {
  if (!displs) return coll_blocks(n, p, lo, hi);
  return (coll_span){ displs[lo], displs[hi] - displs[lo] };
}

static inline coll_span coll_block_of(const size_t *displs, size_t n, int p, int i) {
  return displs ? coll_blocks_of(displs, n, p, i, i + 1) : coll_block(n, p, i);
}

static inline size_t coll_block_max_of(const size_t *displs, size_t n, int p) {
  size_t most = displs ? 0 : coll_block_max(n, p);
  for (int i = 0; displs && i < p; i++)
    if (displs[i + 1] - displs[i] > most) most = displs[i + 1] - displs[i];
  return most;
}

#endif
