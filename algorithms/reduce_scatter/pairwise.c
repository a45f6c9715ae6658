/* reduce_scatter/pairwise
 * Idea     in step i send the block of the i-th rank on the right straight to it, and add what comes from the i-th on
 *          the left to one's own
 * Rounds   p-1
 * Cost     (p-1) (alpha + n/p (beta + gamma))          n = bytes, n/p those of the longest block; exact when p divides the
 *          count
 * Needs    any p, any counts; the operator must commute
 * Scratch  one block
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; MPICH
 *
 *          rank 0        rank 1        rank 2        rows: blocks 0-2
 *  start   aaa           bbb           ccc
 *  1       S..           .T.           ..U           0 → 1, 1 → 2, 2 → 0       S = ac, T = ab, U = bc
 *  2       X..           .X.           ..X           0 → 2, 1 → 0, 2 → 1       X = abc
 */
#include "patterns/rank_block.h"
#include "primitives/move_down.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  coll_span own = coll_rank_part(a, c->rank);
  if (!a->count) return;
  void *here = coll_at(c, a->in, own.first), *coming = coll_scratch(c, own.count);
  void *sum = a->in_place ? here : a->out; /* the front, where the sum goes, is yet to be sent */
  coll_copy(c, sum, here, own.count);
  for (int step = 1; step < p; step++) {
    int to = (c->rank + step) % p, from = (c->rank + p - step) % p;
    coll_span theirs = coll_rank_part(a, to);
    coll_sendrecv(c, coll_at(c, a->in, theirs.first), theirs.count, to, coming, own.count, from);
    coll_reduce(c, coming, sum, own.count);
  }
  if (a->in_place) coll_move_down(c, a->out, own.first, own.count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double n = (double)(a->count * a->elem) / a->size;
  if (a->displs) n = (double)(coll_rank_block_max(a) * a->elem);
  return a->count ? (a->size - 1) * (alpha + n * (beta + gamma)) : 0;
}

static bool exact(const coll_args *a) { return !a->displs && a->count % (size_t)a->size == 0; }

const coll_alg reduce_scatter_pairwise = {
  .key = "reduce_scatter/pairwise",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "each block straight to its rank, one partner per step",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521; MPICH",
  .flags = COLL_COMMUTATIVE_ONLY | COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
