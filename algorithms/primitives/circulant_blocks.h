/* A vector in segments over the circulant graph: what bcast/circulant does in each round, and reduce/circulant in the rounds
 * backwards. */
#ifndef COLLSCOPE_PRIMITIVES_CIRCULANT_BLOCKS_H
#define COLLSCOPE_PRIMITIVES_CIRCULANT_BLOCKS_H

#include "collscope.h"
#include "patterns/block.h"
#include "patterns/circulant.h"

/* A call whose first parameter is the bytes wanted of a segment; p >= 2, count > 0. */
typedef struct {
  coll_circulant graph;
  coll_circulant_blocks blocks;
  int root, v; /* v: this rank's virtual one */
  size_t count, segment;
  long segments, rounds;
} coll_circulant_call;
coll_circulant_call coll_circulant_call_make(const coll_ctx *, const coll_args *);

/* A round of the broadcast: segment `send` goes to rank `to`, segment `receive` comes from rank `from`. -1, and an empty span: none.
 * A rank never sends the segment that it receives. */
typedef struct {
  int to, from;
  long send, receive;
  coll_span give, take;
} coll_circulant_exchange;
coll_circulant_exchange coll_circulant_exchange_of(const coll_circulant_call *, long round);

/* One port; beta: what each byte of a message takes. Exact when all segments are as long. */
double coll_circulant_blocks_cost(const coll_args *, double alpha, double beta);

#endif
