/* allreduce/recursive_doubling
 * Idea     exchange and add whole vectors at distance 1, 2, 4, … With p no power of two, ranks are paired first, and
 *          the odd one of a pair works for both
 * Rounds   lg p' with p' = 2^⌊lg p⌋; 2 more when p is no power of two
 * Cost     lg p (alpha + n beta + n gamma)          n = bytes; exact, for p no power of two with lg p' and 2 alpha +
 *          2 n beta + n gamma more
 * Needs    any p, any count; keeps the rank order
 * Scratch  one vector
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned allreduce 3
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4
 *  start   a        b        c        d        e
 *  pair    .        ab       c        d        e             0 → 1
 *  1       .        abc      abc      de       de            1 ↔ 2, 3 ↔ 4
 *  2       .        X        X        X        X             1 ↔ 3, 2 ↔ 4        X = abcde
 *  pair    X        X        X        X        X             1 → 0
 */
#include "collscope.h"
#include "patterns/fold.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  if (c->size < 2) {
    coll_copy(c, a->out, a->in, n);
    return;
  }
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_ODD);
  int v = coll_fold_virtual(f, c->rank);
  void *sum = coll_scratch(c, n), *other = a->out; /* they change places, so that no sum is ever copied */
  coll_copy(c, sum, a->in, n);
  if (v < 0) {
    coll_send(c, sum, n, c->rank + 1);
    coll_recv(c, a->out, n, c->rank + 1);
    return;
  }
  bool paired = c->rank < 2 * f.extra;
  if (paired) {
    coll_recv(c, other, n, c->rank - 1);
    coll_reduce(c, other, sum, n);
  }
  for (int distance = 1; distance < f.power; distance *= 2) {
    int partner = coll_fold_real(f, v ^ distance);
    coll_sendrecv(c, sum, n, partner, other, n, partner);
    if (c->rank < partner) { /* the lower rank's part goes to the left */
      coll_reduce(c, sum, other, n);
      void *swap = sum;
      sum = other;
      other = swap;
    } else {
      coll_reduce(c, other, sum, n);
    }
  }
  if (paired) coll_send(c, sum, n, c->rank - 1);
  coll_copy(c, a->out, sum, n);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_ODD);
  double n = (double)(a->count * a->elem);
  return f.lg * (alpha + n * (beta + gamma)) + (f.extra ? 2 * alpha + 2 * n * beta + n * gamma : 0);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allreduce_recursive_doubling = {
  .key = "allreduce/recursive_doubling",
  .collective = COLL_ALLREDUCE,
  .summary = "exchange and add whole vectors at distance 1, 2, 4, …",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521",
  .twin = { "Open MPI", 3 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
