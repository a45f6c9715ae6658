/* reduce_scatter/butterfly
 * Idea     recursive halving at doubling distance, which keeps operands in order but leaves each block at the rank
 *          with the mirrored number; a last exchange puts that right. With p no power of two ranks are paired first
 * Rounds   lg p' + 1 with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     (lg p + 1) alpha + (p-1)/p n (beta + gamma) + (n/p) beta          n = bytes of the vector; exact for p a
 *          power of two, 4 at least, that divides the count (for p = 2 there is no last exchange)
 * Needs    any p, any count; keeps the rank order
 * Scratch  two vectors
 * Source   Traff 2005, EuroPVM/MPI, LNCS 3666, pp. 129-137; Open MPI's coll/tuned reduce_scatter 4
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     ..SS     TT..     ..TT          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     ..X.     .X..     ...X          0 ↔ 2, 1 ↔ 3       X = abcd
 *  3       X...     .X..     ..X.     ...X          1 ↔ 2: 01 and 10 are each other's mirror
 */
#include "../collscope.h"
#include "../patterns/block.h"
#include "../patterns/fold.h"

static int mirror(int v, int bits) {
  int m = 0;
  for (int i = 0; i < bits; i++) m |= (v >> i & 1) << (bits - 1 - i);
  return m;
}

static coll_span blocks(const coll_args *a, coll_fold f, int lo, int n) {
  return coll_blocks(a->count, a->size, coll_fold_first(f, lo), coll_fold_first(f, lo + n));
}

/* Hands the one or two blocks of virtual rank v's mirror, which lie in sum, to where they belong, and fetches this
 * rank's own. */
static void put_right(coll_ctx *c, const coll_args *a, coll_fold f, int v, void *sum) {
  int goal = mirror(v, f.lg), to = coll_fold_real(f, goal);
  coll_span own = coll_block(a->count, c->size, c->rank), theirs = coll_block(a->count, c->size, to);
  if (goal < f.extra) {
    coll_span pair = coll_block(a->count, c->size, to - 1);
    coll_send(c, coll_at(c, sum, pair.first), pair.count, to - 1);
  }
  if (goal == v) coll_copy(c, a->out, coll_at(c, sum, own.first), own.count);
  else coll_sendrecv(c, coll_at(c, sum, theirs.first), theirs.count, to, a->out, own.count, to);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  if (c->size < 2) {
    coll_copy(c, a->out, a->in, a->count);
    return;
  }
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_ODD);
  void *sum = coll_scratch(c, a->count), *spare = coll_scratch(c, a->count);
  coll_copy(c, sum, a->in, a->count);
  int v = coll_fold_virtual(f, c->rank);
  if (v < 0) {
    coll_send(c, sum, a->count, c->rank + 1);
    int from = coll_fold_real(f, mirror(c->rank / 2, f.lg));
    coll_recv(c, a->out, coll_block(a->count, c->size, c->rank).count, from);
    return;
  }
  if (c->rank < 2 * f.extra) {
    coll_recv(c, spare, a->count, c->rank - 1);
    coll_reduce(c, spare, sum, a->count);
  }
  int first = 0, half = f.power / 2;
  for (int distance = 1; distance < f.power; distance *= 2, half /= 2) {
    int partner = coll_fold_real(f, v ^ distance);
    bool upper = v & distance;
    coll_span keep = blocks(a, f, first + (upper ? half : 0), half);
    coll_span give = blocks(a, f, first + (upper ? 0 : half), half);
    coll_sendrecv(c, coll_at(c, sum, give.first), give.count, partner, coll_at(c, spare, keep.first), keep.count,
                  partner);
    if (upper) {  /* the lower rank's part goes to the left */
      coll_reduce(c, coll_at(c, spare, keep.first), coll_at(c, sum, keep.first), keep.count);
    } else {
      coll_reduce(c, coll_at(c, sum, keep.first), coll_at(c, spare, keep.first), keep.count);
      void *swap = sum;
      sum = spare;
      spare = swap;
    }
    if (upper) first += half;
  }
  put_right(c, a, f, v, sum);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_ODD);
  double n = (double)(a->count * a->elem), fold = f.extra ? 2 * alpha + n * (beta + gamma) + n / a->size * beta : 0;
  double last = f.power > 2 ? alpha + n / a->size * beta : 0;
  return fold + f.lg * alpha + (f.power - 1.0) / f.power * n * (beta + gamma) + last;
}

static bool exact(const coll_args *a) {
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_ODD);
  return !a->count || (f.extra == 0 && a->count % (size_t)f.power == 0);
}

const coll_alg reduce_scatter_butterfly = {
  .key = "reduce_scatter/butterfly", .collective = COLL_REDUCE_SCATTER,
  .summary = "halving at doubling distance, then mirrored ranks swap",
  .source = "Traff 2005, EuroPVM/MPI, LNCS 3666, pp. 129-137", .twin = { "Open MPI", 4 },
  .run = run, .cost = cost, .exact = exact,
};
