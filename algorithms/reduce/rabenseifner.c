/* reduce/rabenseifner
 * Idea     recursive halving leaves each rank one part of the sum; a binomial tree gathers the parts at the root.
 *          With p no power of two ranks are paired first; an odd root so paired off takes rank 0's place for the
 *          gather
 * Rounds   2 lg p' with p' = 2^⌊lg p⌋; 2 or 3 more when p is no power of two
 * Cost     2 lg p alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact for p a power of two that divides the
 *          count
 * Needs    any p, any root, count >= p' (or 0); the operator must commute
 * Scratch  two vectors, one at the root
 * Source   Rabenseifner; Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned reduce 7
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0; rows: elements 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     ..SS     TT..     ..TT          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     ..X.     .X..     ...X          0 ↔ 2, 1 ↔ 3       X = abcd
 *  3       XX..     ..XX     .        .             2 → 0, 3 → 1
 *  4       XXXX     .        .        .             1 → 0
 */
#include "../primitives/halving.h"

static const char *supports(const coll_args *a) {
  if (!a->count || a->count >= (size_t)coll_fold_make(a->size, COLL_FOLD_EVEN).power) return NULL;
  return "needs at least as many elements as the largest power of two in p; Open MPI takes reduce/linear instead";
}

/* The rank whose place in the gather is virtual rank v. */
static int holder(coll_fold f, int v, int root, bool replaces) {
  return v == 0 && replaces ? root : coll_fold_real(f, v);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  bool root = c->rank == a->root;
  void *sum = root ? a->out : coll_scratch(c, a->count);
  coll_copy(c, sum, a->in, a->count);
  if (c->size < 2) return;

  coll_fold f = coll_fold_make(c->size, COLL_FOLD_EVEN);
  coll_window *window = coll_keep(c, sizeof(coll_window) * (size_t)f.lg);
  int v = coll_halving_reduce(c, f, sum, coll_scratch(c, a->count), a->count, window);

  int vroot = coll_fold_virtual(f, a->root);
  bool replaces = vroot < 0;
  if (replaces) {  /* rank 0 gives its part to the root, which gathers in its stead */
    vroot = 0;
    if (root) {
      v = 0;
      coll_halving_windows(f, v, a->count, window);
      coll_recv(c, sum, window[f.lg - 1].keep.count, 0);
    } else if (v == 0) {
      coll_send(c, sum, window[f.lg - 1].keep.count, a->root);
      v = -1;
    }
  }
  for (int i = f.lg - 1; v >= 0 && i >= 0; i--) {
    int partner = v ^ 1 << i, to = holder(f, partner, a->root, replaces);
    coll_span keep = window[i].keep, give = window[i].give;
    if (partner >> i == vroot >> i) {  /* the partner is nearer to the root */
      coll_send(c, coll_at(c, sum, keep.first), keep.count, to);
      return;
    }
    coll_recv(c, coll_at(c, sum, give.first), give.count, to);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_EVEN);
  double n = (double)(a->count * a->elem), moved = coll_fold_virtual(f, a->root) < 0 ? alpha + n / f.power * beta : 0;
  return coll_halving_cost(a->size, n, alpha, beta, gamma) + moved + f.lg * alpha +
         (f.power - 1.0) / f.power * n * beta;
}

static bool exact(const coll_args *a) {
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_EVEN);
  return !a->count || (f.extra == 0 && a->count % (size_t)f.power == 0);
}

const coll_alg reduce_rabenseifner = {
  .key = "reduce/rabenseifner", .collective = COLL_REDUCE, .summary = "recursive halving, then a binomial gather",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521", .flags = COLL_COMMUTATIVE_ONLY,
  .twin = { "Open MPI", 7 },
  .supports = supports, .run = run, .cost = cost, .exact = exact,
};
