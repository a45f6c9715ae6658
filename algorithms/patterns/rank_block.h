/* Whose block lies where, in a call that may say how long each rank's block is (displs), and in one that does not.
 *
 *   displs  0 3 3 7 8     rank 0: 0 1 2   rank 1: none   rank 2: 3 4 5 6   rank 3: 7
 *
 * Blocks lie side by side in the order of ranks, so several that follow each other are one piece.
 */
#ifndef COLLSCOPE_PATTERNS_RANK_BLOCK_H
#define COLLSCOPE_PATTERNS_RANK_BLOCK_H

#include "collscope.h"
#include "patterns/block.h"

/* Of collectives of blocks (allgatherv …): those of ranks lo … hi-1 among all. Without displs each has count elements. */
static inline coll_span coll_rank_blocks(const coll_args *a, int lo, int hi) {
  if (a->displs) return (coll_span){ a->displs[lo], a->displs[hi] - a->displs[lo] };
  return (coll_span){ (size_t)lo * a->count, (size_t)(hi - lo) * a->count };
}

static inline coll_span coll_rank_block(const coll_args *a, int rank) { return coll_rank_blocks(a, rank, rank + 1); }

/* Elements of all blocks together. */
static inline size_t coll_all_blocks(const coll_args *a) { return coll_rank_blocks(a, 0, a->size).count; }

/* Elements of `n` blocks from that of a rank on, in the order of ranks modulo p. */
static inline size_t coll_following_blocks(const coll_args *a, int rank, int n) {
  int end = rank + n, p = a->size;
  if (end <= p) return coll_rank_blocks(a, rank, end).count;
  return coll_rank_blocks(a, rank, p).count + coll_rank_blocks(a, 0, end - p).count;
}

/* The longest block. */
static inline size_t coll_rank_block_max(const coll_args *a) {
  size_t most = 0;
  for (int i = 0; i < a->size; i++) {
    size_t n = coll_rank_block(a, i).count;
    if (n > most) most = n;
  }
  return most;
}

/* Ranks whose block is not empty, `but` one. */
static inline int coll_rank_blocks_filled(const coll_args *a, int but) {
  int n = 0;
  for (int i = 0; i < a->size; i++) n += i != but && coll_rank_block(a, i).count;
  return n;
}

/* Of alltoallv: the block for rank `to` in the `in` of rank `from`, and where it lies in the `out` of `to`. */
static inline coll_span coll_sent_block(const coll_args *a, int from, int to) {
  if (!a->displs) return (coll_span){ (size_t)to * a->count, a->count };
  const size_t *row = a->displs + (size_t)from * ((size_t)a->size + 1);
  return (coll_span){ row[to], row[to + 1] - row[to] };
}
static inline coll_span coll_received_block(const coll_args *a, int to, int from) {
  if (!a->displs) return (coll_span){ (size_t)from * a->count, a->count };
  const size_t *row = a->displs + ((size_t)a->size + (size_t)to) * ((size_t)a->size + 1);
  return (coll_span){ row[from], row[from + 1] - row[from] };
}

/* Of reduce_scatter: the part of the vector that comes to a rank. */
static inline coll_span coll_rank_part(const coll_args *a, int rank) {
  return coll_block_of(a->displs, a->count, a->size, rank);
}

#endif
