/* reduce/circulant[s]
 * Idea     the rounds of bcast/circulant backwards: who received a segment sends its sum of it, who sent one receives and adds
 * Rounds   n/s - 1 + ⌈lg p⌉, as few as there can be
 * Cost     (n/s - 1 + ⌈lg p⌉) (alpha + s (beta + gamma))          n = bytes; exact for any p and root when segments are even
 * Needs    any p, any root, any count; the operator must commute
 * Scratch  a vector (not at the root), and a segment
 * Source   Traff 2024, arXiv 2407.18004
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0, two segments
 *  start   aa       bb       cc       dd       ee
 *  1       aP       bQ       .c       d.       R.            by 3: 3 → 0, 4 → 1, 2 → 4: P = ad, Q = be, R = ce
 *  2       aS       .Q       ..       d.       T.            by 2: 2 → 0, 1 → 4: S = acd, T = bce
 *  3       aX       ..       ..       U.       ..            by 1: 1 → 0, 4 → 3: X = abcde, U = bcde
 *  4       XX       ..       ..       ..       ..            by 3: 3 → 0
 */
#include "collscope.h"
#include "patterns/segment.h"
#include "primitives/circulant_blocks.h"
#include "primitives/even_segments.h"

static void run(coll_ctx *c, const coll_args *a) {
  bool root = c->rank == a->root;
  if (!a->count) return;
  if (c->size < 2) {
    coll_copy(c, a->out, a->in, a->count);
    return;
  }
  coll_circulant_call x = coll_circulant_call_make(c, a);
  void *sum = root ? a->out : coll_scratch(c, a->count), *inbox = coll_scratch(c, x.segment);
  /* What first comes for a segment arrives in its place, and this rank's own is added to it: no copy. */
  bool *begun = coll_keep(c, (size_t)x.segments * sizeof *begun);
  for (long i = 0; i < x.segments; i++) begun[i] = sum == a->in;
  for (long round = x.rounds; round-- > 0;) {
    coll_circulant_exchange now = coll_circulant_exchange_of(&x, round);
    coll_span give = now.take, take = now.give;
    bool first = take.count && !begun[now.send];
    const void *leaves = coll_at(c, give.count && begun[now.receive] ? sum : a->in, give.first);
    void *own = coll_at(c, sum, take.first), *comes = first ? own : inbox;
    if (give.count && take.count) coll_sendrecv(c, leaves, give.count, now.from, comes, take.count, now.to);
    else if (give.count) coll_send(c, leaves, give.count, now.from);
    else if (take.count) coll_recv(c, comes, take.count, now.to);
    if (!take.count) continue;
    coll_reduce(c, first ? coll_at(c, a->in, take.first) : inbox, own, take.count);
    begun[now.send] = true;
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_circulant_blocks_cost(a, alpha, beta + gamma);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg reduce_circulant = {
  .key = "reduce/circulant",
  .collective = COLL_REDUCE,
  .summary = "the broadcast over the circulant graph backwards",
  .source = "Traff 2024, arXiv 2407.18004",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .run = run,
  .cost = cost,
  .exact = coll_even_segments,
};
