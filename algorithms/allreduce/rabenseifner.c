/* allreduce/rabenseifner
 * Idea     recursive halving leaves each rank one part of the sum; recursive doubling brings the parts together
 *          everywhere. With p no power of two ranks are paired first, and the even one of a pair works for both
 * Rounds   2 lg p' with p' = 2^⌊lg p⌋; 3 more when p is no power of two
 * Cost     2 lg p alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact for p a power of two that divides the
 *          count
 * Needs    any p, count >= p' (or 0); the operator must commute
 * Scratch  one vector
 * Source   Rabenseifner; Thakur et al. 2005, doi:10.1177/1094342005051521; Open MPI's coll/tuned allreduce 6
 *
 *          rank 0   rank 1   rank 2   rank 3        rows: elements 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     ..SS     TT..     ..TT          0 ↔ 1, 2 ↔ 3       S = ab, T = cd
 *  2       X...     ..X.     .X..     ...X          0 ↔ 2, 1 ↔ 3       X = abcd
 *  3       XX..     ..XX     XX..     ..XX          0 ↔ 2, 1 ↔ 3
 *  4       XXXX     XXXX     XXXX     XXXX          0 ↔ 1, 2 ↔ 3
 */
#include "../primitives/halving.h"

static const char *supports(const coll_args *a) {
  if (!a->count || a->count >= (size_t)coll_fold_make(a->size, COLL_FOLD_EVEN).power) return NULL;
  return "needs at least as many elements as the largest power of two in p; Open MPI takes allreduce/linear instead";
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  coll_copy(c, a->out, a->in, n);
  if (c->size < 2 || !n) return;
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_EVEN);
  coll_window *window = coll_keep(c, sizeof(coll_window) * (size_t)f.lg);
  int v = coll_halving_reduce(c, f, a->out, coll_scratch(c, n), n, window);
  for (int i = f.lg - 1; v >= 0 && i >= 0; i--) {
    int partner = coll_fold_real(f, v ^ 1 << i);
    coll_span have = window[i].keep, lack = window[i].give;
    coll_sendrecv(c, coll_at(c, a->out, have.first), have.count, partner, coll_at(c, a->out, lack.first), lack.count,
                  partner);
  }
  if (c->rank >= 2 * f.extra) return;
  if (v < 0) coll_recv(c, a->out, n, c->rank - 1);
  else coll_send(c, a->out, n, c->rank + 1);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_EVEN);
  double n = (double)(a->count * a->elem);
  return coll_halving_cost(a->size, n, alpha, beta, gamma) + f.lg * alpha + (f.power - 1.0) / f.power * n * beta +
         (f.extra ? alpha + n * beta : 0);
}

static bool exact(const coll_args *a) {
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_EVEN);
  return !a->count || (f.extra == 0 && a->count % (size_t)f.power == 0);
}

const coll_alg allreduce_rabenseifner = {
  .key = "allreduce/rabenseifner", .collective = COLL_ALLREDUCE,
  .summary = "recursive halving, then recursive doubling",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521", .flags = COLL_COMMUTATIVE_ONLY,
  .twin = { "Open MPI", 6 },
  .supports = supports, .run = run, .cost = cost, .exact = exact,
};
