/* allgatherv/neighbor_exchange
 * Idea     exchange with the neighbours on either side in turn, always the two blocks that came last
 * Rounds   p/2
 * Cost     alpha and the longest block, then (p/2 - 1) times alpha and the longest pair; exact for blocks of one length, m bytes:
 *          (p/2) alpha + (p-1) m beta
 * Needs    p even (or 1), any counts
 * Scratch  none
 * Source   Chen et al. 2005, doi:10.1109/HPCASIA.2005.75; Open MPI's coll/tuned allgatherv 4
 *
 *          rank 0   rank 1   rank 2   rank 3       rank 1 has two elements
 *  start   a....    .bb..    ...c.    ....d
 *  1       abb..    abb..    ...cd    ...cd        0 ↔ 1, 2 ↔ 3
 *  2       abbcd    abbcd    abbcd    abbcd        1 ↔ 2, 3 ↔ 0
 */
#include "patterns/rank_block.h"
#include "patterns/ring.h"

static const char *supports(const coll_args *a) {
  return a->size % 2 && a->size > 1
             ? "needs an even number of ranks; Open MPI takes allgatherv/bucket (its ring) instead"
             : NULL;
}

static void swap(coll_ctx *c, const coll_args *a, coll_span leaves, coll_span comes, int partner) {
  coll_sendrecv(c, coll_at(c, a->out, leaves.first), leaves.count, partner, coll_at(c, a->out, comes.first),
                comes.count, partner);
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  if (!coll_all_blocks(a)) return;
  coll_span own = coll_rank_block(a, c->rank);
  coll_copy(c, coll_at(c, a->out, own.first), a->in, own.count);
  if (p < 2) return;

  bool even = c->rank % 2 == 0;
  int up = coll_ring_right(p, c->rank), down = coll_ring_left(p, c->rank), pair = c->rank - c->rank % 2;
  int partner[2] = { even ? up : down, even ? down : up };
  swap(c, a, own, coll_rank_block(a, partner[0]), partner[0]);

  /* Pairs of blocks come alternately from one side and the other, each time from two ranks farther away. */
  int from[2] = { pair, pair }, stride[2] = { even ? 2 : p - 2, even ? p - 2 : 2 }, last = pair;
  for (int i = 1; i < p / 2; i++) {
    int side = i % 2;
    from[side] = (from[side] + stride[side]) % p;
    swap(c, a, coll_rank_blocks(a, last, last + 2), coll_rank_blocks(a, from[side], from[side] + 2), partner[side]);
    last = from[side];
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !coll_all_blocks(a)) return 0;
  size_t longest = 0;
  for (int i = 0; i < a->size; i += 2) {
    size_t n = coll_rank_blocks(a, i, i + 2).count;
    if (n > longest) longest = n;
  }
  return alpha + (double)(coll_rank_block_max(a) * a->elem) * beta +
         (a->size / 2 - 1) * (alpha + (double)(longest * a->elem) * beta);
}

static bool exact(const coll_args *a) { return !a->displs; }

const coll_alg allgatherv_neighbor_exchange = {
  .key = "allgatherv/neighbor_exchange",
  .collective = COLL_ALLGATHERV,
  .summary = "pairs of blocks exchanged with either neighbour in turn",
  .source = "Chen et al. 2005, doi:10.1109/HPCASIA.2005.75",
  .flags = COLL_ANY_BLOCKS,
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
