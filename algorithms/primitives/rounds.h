/* Reduce-scatters and allgathers in rounds, several parts of a vector at once. In a round each part's rank gives some blocks away and takes
 * others, as many: it adds up what it takes. The allgather goes through the same rounds backwards, and against the messages' direction. */
#ifndef COLLSCOPE_PRIMITIVES_ROUNDS_H
#define COLLSCOPE_PRIMITIVES_ROUNDS_H

#include "collscope.h"
#include "patterns/block.h"

/* Blocks give … give + blocks - 1 go to rank `to`, and take … take + blocks - 1 come from rank `from`. */
typedef struct {
  int to, from, give, take, blocks;
} coll_round;

/* Round i of a part, as this rank sees it, and where a part's blocks lo … hi - 1 lie in the vector. */
typedef struct {
  int parts, rounds;
  coll_round (*round)(const void *how, int part, int i);
  coll_span (*span)(const void *how, int part, int lo, int hi);
  const void *how;
} coll_rounds;

/* Blocks of no elements are not sent; the operator must commute. inbox: room for a vector, of which only blocks that are taken are used. */
void coll_rounds_reduce_scatter(coll_ctx *, const coll_rounds *, void *sum, void *inbox);
void coll_rounds_allgather(coll_ctx *, const coll_rounds *, void *all);

/* Both: a->in is added up in a->out. */
void coll_rounds_allreduce(coll_ctx *, const coll_args *, const coll_rounds *);

/* n elements in even parts, each in even blocks. */
static inline coll_span coll_rounds_even(size_t n, int parts, int part, int blocks, int lo, int hi) {
  coll_span whole = coll_block(n, parts, part), s = coll_blocks(whole.count, blocks, lo, hi);
  return (coll_span){ whole.first + s.first, s.count };
}

#endif
