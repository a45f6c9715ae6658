/* gather/linear_sync[first]
 * Idea     the root calls up each rank with an empty message; the rank's first segment comes while the root waits,
 *          the rest of the block while it already calls the next
 * Rounds   p-1 calls and first segments, one after the other
 * Cost     no closed form: the rests overlap with calls
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Open MPI's coll/tuned gather 3
 *
 *          rank 0   rank 1   rank 2        root 0
 *  start   aa       bb       cc
 *  1       aa       bb       cc            0 → 1, empty
 *  2       aab      bb       cc            1 → 0, first segment
 *  3       aabb     -        cc            1 → 0, the rest; 0 → 2, empty
 *  4       aabbc    -        cc            2 → 0, first segment
 *  5       aabbcc   -        -             2 → 0, the rest
 */
#include "collscope.h"
#include "patterns/segment.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count, first = coll_segment(m, a->elem, (size_t)a->param[0]);
  if (!m) return;
  if (c->rank != a->root) {
    coll_recv(c, coll_scratch(c, 0), 0, a->root);
    coll_send(c, a->in, first, a->root);
    coll_send(c, coll_at(c, a->in, first), m - first, a->root);
    return;
  }
  coll_req *rest = coll_keep(c, sizeof(coll_req) * (size_t)c->size);
  int k = 0;
  for (int from = 0; from < c->size; from++) {
    if (from == c->rank) continue;
    void *block = coll_at(c, a->out, (size_t)from * m);
    coll_req head = coll_irecv(c, block, first, from);
    coll_send(c, a->out, 0, from);
    rest[k++] = coll_irecv(c, coll_at(c, block, first), m - first, from);
    coll_wait(c, &head);
  }
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
  coll_waitall(c, k, rest);
}

static const coll_param params[] = {
  { .name = "first",
    .value = 1024,
    .min = 0,
    .max = 1L << 30,
    .help = "bytes of the first segment; 0: the whole block" },
  { .name = NULL },
};

const coll_alg gather_linear_sync = {
  .key = "gather/linear_sync",
  .collective = COLL_GATHER,
  .summary = "the root signals each rank in turn, blocks come in two segments",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 3 },
  .run = run,
};
