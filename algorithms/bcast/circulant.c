/* bcast/circulant[s]
 * Idea     in each round all ranks send as far on as the circulant graph says: the root its segments one after the other, the others
 *          one that they have. Which one, a rank finds out by itself, for any p
 * Rounds   n/s - 1 + ⌈lg p⌉, as few as there can be
 * Cost     (n/s - 1 + ⌈lg p⌉) (alpha + s beta)          n = bytes; exact for any p and root when segments are even
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Traff 2024, arXiv 2407.18004
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0, two segments
 *  start   ab       ..       ..       ..       ..
 *  1       ab       ..       ..       a.       ..            by 3: 0 → 3
 *  2       ab       .b       ..       a.       a.            by 1: 0 → 1, 3 → 4
 *  3       ab       ab       .b       a.       a.            by 2: 0 → 2, 4 → 1
 *  4       ab       ab       ab       ab       ab            by 3: 0 → 3, 1 → 4, 4 → 2
 */
#include "collscope.h"
#include "patterns/segment.h"
#include "primitives/circulant_blocks.h"
#include "primitives/even_segments.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (c->size < 2 || !a->count) return;
  coll_circulant_call x = coll_circulant_call_make(c, a);
  for (long round = 0; round < x.rounds; round++) {
    coll_circulant_exchange now = coll_circulant_exchange_of(&x, round);
    void *give = coll_at(c, a->out, now.give.first), *take = coll_at(c, a->out, now.take.first);
    if (now.give.count && now.take.count)
      coll_sendrecv(c, give, now.give.count, now.to, take, now.take.count, now.from);
    else if (now.give.count) coll_send(c, give, now.give.count, now.to);
    else if (now.take.count) coll_recv(c, take, now.take.count, now.from);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_circulant_blocks_cost(a, alpha, beta);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg bcast_circulant = {
  .key = "bcast/circulant",
  .collective = COLL_BCAST,
  .summary = "segments over the circulant graph, in as few rounds as there can be",
  .source = "Traff 2024, arXiv 2407.18004",
  .params = params,
  .run = run,
  .cost = cost,
  .exact = coll_even_segments,
};
