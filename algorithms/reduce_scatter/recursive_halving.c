/* reduce_scatter/recursive_halving
 * Idea     exchange halves of the blocks with the rank half the ring away, add up, and go on with half of the blocks.
 *          With p no power of two ranks are paired first, and the odd one of a pair works for both
 * Rounds   lg p' with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     lg p alpha + (p-1)/p n (beta + gamma)          n = bytes of the vector; exact for p a power of two that
 *          divides the count
 * Needs    any p, any count; the operator must commute
 * Scratch  two vectors
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned reduce_scatter 2
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     TT..     ..SS     ..TT          0 ↔ 2, 1 ↔ 3       S = ac, T = bd
 *  2       X...     .X..     ..X.     ...X          0 ↔ 1, 2 ↔ 3       X = abcd
 */
#include "../collscope.h"
#include "../patterns/block.h"
#include "../patterns/fold.h"

static coll_span blocks(const coll_args *a, coll_fold f, int lo, int hi) {
  return coll_blocks(a->count, a->size, coll_fold_first(f, lo), coll_fold_first(f, hi));
}

/* Empty blocks are not sent at all: with fewer elements than ranks some exchanges have one message only, or none. */
static void exchange(coll_ctx *c, void *sum, void *spare, coll_span keep, coll_span give, int partner) {
  coll_req coming = keep.count ? coll_irecv(c, coll_at(c, spare, keep.first), keep.count, partner) : 0;
  if (give.count) coll_send(c, coll_at(c, sum, give.first), give.count, partner);
  if (!keep.count) return;
  coll_wait(c, &coming);
  coll_reduce(c, coll_at(c, spare, keep.first), coll_at(c, sum, keep.first), keep.count);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  void *spare = coll_scratch(c, a->count), *sum = coll_scratch(c, a->count);
  coll_copy(c, sum, a->in, a->count);
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_ODD);
  coll_span own = coll_block(a->count, c->size, c->rank);
  int v = coll_fold_virtual(f, c->rank);
  if (v < 0) {
    coll_send(c, sum, a->count, c->rank + 1);
    if (own.count) coll_recv(c, a->out, own.count, c->rank + 1);
    return;
  }
  if (c->rank < 2 * f.extra) {
    coll_recv(c, spare, a->count, c->rank - 1);
    coll_reduce(c, spare, sum, a->count);
  }
  for (int half = f.power / 2; half; half /= 2) {
    int low = v & -(2 * half), middle = low + half, high = middle + half;
    coll_span lower = blocks(a, f, low, middle), upper = blocks(a, f, middle, high);
    bool up = v & half;
    exchange(c, sum, spare, up ? upper : lower, up ? lower : upper, coll_fold_real(f, v ^ half));
  }
  coll_copy(c, a->out, coll_at(c, sum, own.first), own.count);
  if (c->rank < 2 * f.extra) {
    coll_span partner = coll_block(a->count, c->size, c->rank - 1);
    if (partner.count) coll_send(c, coll_at(c, sum, partner.first), partner.count, c->rank - 1);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_ODD);
  double n = (double)(a->count * a->elem), fold = f.extra ? 2 * alpha + n * (beta + gamma) + n / a->size * beta : 0;
  return fold + f.lg * alpha + (f.power - 1.0) / f.power * n * (beta + gamma);
}

static bool exact(const coll_args *a) {
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_ODD);
  return !a->count || (f.extra == 0 && a->count % (size_t)f.power == 0);
}

const coll_alg reduce_scatter_recursive_halving = {
  .key = "reduce_scatter/recursive_halving", .collective = COLL_REDUCE_SCATTER,
  .summary = "exchange and add halves at halving distance",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521", .flags = COLL_COMMUTATIVE_ONLY,
  .twin = { "Open MPI", 2 },
  .run = run, .cost = cost, .exact = exact,
};
