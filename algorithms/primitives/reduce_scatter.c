#include "primitives/reduce_scatter.h"

#include "patterns/block.h"
#include "patterns/fold.h"

/* The blocks of virtual ranks lo … hi-1, each that of a pair or of one rank. */
static coll_span blocks(const size_t *displs, size_t n, int p, coll_fold f, int lo, int hi) {
  return coll_blocks_of(displs, n, p, coll_fold_first(f, lo), coll_fold_first(f, hi));
}

/* Empty blocks are not sent: with fewer elements than ranks some exchanges have one message only, or none. */
static void exchange(coll_ctx *c, void *sum, void *spare, coll_span keep, coll_span give, int partner) {
  coll_req coming = keep.count ? coll_irecv(c, coll_at(c, spare, keep.first), keep.count, partner) : 0;
  if (give.count) coll_send(c, coll_at(c, sum, give.first), give.count, partner);
  if (!keep.count) return;
  coll_wait(c, &coming);
  coll_reduce(c, coll_at(c, spare, keep.first), coll_at(c, sum, keep.first), keep.count);
}

void coll_recursive_halving(coll_ctx *c, const void *in, void *out, size_t n, const size_t *displs) {
  void *spare = coll_scratch(c, n), *sum = coll_scratch(c, n);
  coll_copy(c, sum, in, n);
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_ODD);
  coll_span own = coll_block_of(displs, n, c->size, c->rank);
  int v = coll_fold_virtual(f, c->rank);
  if (v < 0) {
    coll_send(c, sum, n, c->rank + 1);
    if (own.count) coll_recv(c, out, own.count, c->rank + 1);
    return;
  }
  if (c->rank < 2 * f.extra) {
    coll_recv(c, spare, n, c->rank - 1);
    coll_reduce(c, spare, sum, n);
  }
  for (int half = f.power / 2; half; half /= 2) {
    int low = v & -(2 * half), middle = low + half, high = middle + half;
    coll_span lower = blocks(displs, n, c->size, f, low, middle), upper = blocks(displs, n, c->size, f, middle, high);
    bool up = v & half;
    exchange(c, sum, spare, up ? upper : lower, up ? lower : upper, coll_fold_real(f, v ^ half));
  }
  coll_copy(c, out, coll_at(c, sum, own.first), own.count);
  if (c->rank < 2 * f.extra) {
    coll_span partner = coll_block_of(displs, n, c->size, c->rank - 1);
    if (partner.count) coll_send(c, coll_at(c, sum, partner.first), partner.count, c->rank - 1);
  }
}

static int mirror(int v, int bits) {
  int m = 0;
  for (int i = 0; i < bits; i++) m |= (v >> i & 1) << (bits - 1 - i);
  return m;
}

/* Hands the one or two blocks of virtual rank v's mirror, which lie in sum, to where they belong, and fetches this
 * rank's own. */
static void put_right(coll_ctx *c, void *out, size_t n, const size_t *displs, coll_fold f, int v, void *sum) {
  int goal = mirror(v, f.lg), to = coll_fold_real(f, goal);
  coll_span own = coll_block_of(displs, n, c->size, c->rank), theirs = coll_block_of(displs, n, c->size, to);
  if (goal < f.extra) {
    coll_span pair = coll_block_of(displs, n, c->size, to - 1);
    coll_send(c, coll_at(c, sum, pair.first), pair.count, to - 1);
  }
  if (goal == v) coll_copy(c, out, coll_at(c, sum, own.first), own.count);
  else coll_sendrecv(c, coll_at(c, sum, theirs.first), theirs.count, to, out, own.count, to);
}

/* Equal blocks, each to the place with the mirrored number. */
static void turn(coll_ctx *c, const void *in, void *turned, size_t n, int bits) {
  size_t m = n / (size_t)c->size;
  for (int i = 0; i < c->size; i++)
    coll_copy(c, coll_at(c, turned, (size_t)mirror(i, bits) * m), coll_at(c, in, (size_t)i * m), m);
}

void coll_butterfly(coll_ctx *c, const void *in, void *out, size_t n, const size_t *displs, bool turned) {
  if (c->size < 2) {
    coll_copy(c, out, in, n);
    return;
  }
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_ODD);
  void *sum = coll_scratch(c, n), *spare = coll_scratch(c, n);
  if (turned) turn(c, in, sum, n, f.lg);
  else coll_copy(c, sum, in, n);
  int v = coll_fold_virtual(f, c->rank);
  if (v < 0) {
    coll_send(c, sum, n, c->rank + 1);
    int from = coll_fold_real(f, mirror(c->rank / 2, f.lg));
    coll_recv(c, out, coll_block_of(displs, n, c->size, c->rank).count, from);
    return;
  }
  if (c->rank < 2 * f.extra) {
    coll_recv(c, spare, n, c->rank - 1);
    coll_reduce(c, spare, sum, n);
  }
  int first = 0, half = f.power / 2;
  for (int distance = 1; distance < f.power; distance *= 2, half /= 2) {
    int partner = coll_fold_real(f, v ^ distance);
    bool upper = v & distance;
    int kept = first + (upper ? half : 0), given = first + (upper ? 0 : half);
    coll_span keep = blocks(displs, n, c->size, f, kept, kept + half),
              give = blocks(displs, n, c->size, f, given, given + half);
    coll_sendrecv(c, coll_at(c, sum, give.first), give.count, partner, coll_at(c, spare, keep.first), keep.count,
                  partner);
    if (upper) { /* the lower rank's part goes to the left */
      coll_reduce(c, coll_at(c, spare, keep.first), coll_at(c, sum, keep.first), keep.count);
    } else {
      coll_reduce(c, coll_at(c, sum, keep.first), coll_at(c, spare, keep.first), keep.count);
      void *swap = sum;
      sum = spare;
      spare = swap;
    }
    first = kept;
  }
  if (turned) coll_copy(c, out, coll_at(c, sum, coll_block_of(displs, n, c->size, first).first), n / (size_t)c->size);
  else put_right(c, out, n, displs, f, v, sum);
}

double coll_cube_cost(int p, double n, double alpha, double beta, double gamma) {
  if (p < 2) return 0;
  coll_fold f = coll_fold_make(p, COLL_FOLD_ODD);
  double fold = f.extra ? 2 * alpha + n * (beta + gamma) + n / p * beta : 0;
  return fold + f.lg * alpha + (f.power - 1.0) / f.power * n * (beta + gamma);
}

bool coll_cube_exact(int p, size_t count) {
  coll_fold f = coll_fold_make(p, COLL_FOLD_ODD);
  return !count || (f.extra == 0 && count % (size_t)f.power == 0);
}
