/* alltoallv/scattered[batch]
 * Idea     as alltoallv/linear, but beginning with the neighbours, and only so many blocks at once: a batch of receives and sends, then
 *          wait for all of it; nothing is sent of empty blocks
 * Rounds   up to p-1; of p ranks together ⌈p / batch⌉
 * Cost     no closed form
 * Needs    any p, any counts
 * Scratch  none
 * Source   MPICH's scattered (Tony Ladd); batch is its ALLTOALL_THROTTLE
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b; batch=2
 *  start   00 01 02      10 11 12      20 21 22
 *  1       00 10 ..      .. 11 21      02 .. 22      own, and the left neighbour's
 *  2       00 10 20      01 11 21      02 12 22      the second's on the left
 */
#include "patterns/rank_block.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, batch = a->param[0] && a->param[0] < p ? (int)a->param[0] : p;
  coll_req *reqs = coll_keep(c, 2 * sizeof *reqs * (size_t)batch);
  coll_span in = coll_sent_block(a, c->rank, c->rank), out = coll_received_block(a, c->rank, c->rank);
  coll_copy(c, coll_at(c, a->out, out.first), coll_at(c, a->in, in.first), in.count);
  for (int first = 0; first < p; first += batch) {
    int end = first + batch < p ? first + batch : p, posted = 0;
    for (int i = first ? first : 1; i < end; i++) {
      int from = (c->rank + i) % p;
      coll_span b = coll_received_block(a, c->rank, from);
      if (b.count) reqs[posted++] = coll_irecv(c, coll_at(c, a->out, b.first), b.count, from);
    }
    for (int i = first ? first : 1; i < end; i++) {
      int to = (c->rank + p - i) % p;
      coll_span b = coll_sent_block(a, c->rank, to);
      if (b.count) reqs[posted++] = coll_isend(c, coll_at(c, a->in, b.first), b.count, to);
    }
    if (posted) coll_waitall(c, posted, reqs);
  }
}

static const coll_param params[] = {
  { "batch", 32, 0, 1L << 20, NULL, "max blocks in flight, the rank's own included; 0: all" },
  { .name = NULL },
};

const coll_alg alltoallv_scattered = {
  .key = "alltoallv/scattered",
  .collective = COLL_ALLTOALLV,
  .summary = "all at once, in batches",
  .source = "MPICH",
  .params = params,
  .flags = COLL_ANY_BLOCKS,
  .ports = COLL_PORTS_MANY,
  .run = run,
};
