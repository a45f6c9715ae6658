/* reduce/knomial_reduce_scatter_gather[k]
 * Idea     Rabenseifner's with radix k: in each step k ranks cut what is left of the vector into k parts and each adds up one of them; then the parts
 *          are gathered up a k-nomial tree. With p no power of k, ranks from the largest power on (counted from the root) leave their
 *          vectors to others first
 * Rounds   2 (k-1) log_k p' through one port, p' the largest power of k up to p; k-1 more at most
 * Cost     2 (k-1) log_k p alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact for p a power of k that divides the count; each extra of the
 *          rank with most adds alpha + n (beta + gamma)
 * Needs    any p, any root, any count, any k (k above p is p); the operator must commute
 * Scratch  a vector (not at the root), and k-1 parts of the vector's k; a second vector at a rank with extras
 * Source   UCC's srg_knomial (scatter-reduce, gather)
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0, k = 2; rows: elements 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     TT..     ..SS     ..TT          0 ↔ 2, 1 ↔ 3       S = ac, T = bd
 *  2       X...     .X..     ..X.     ...X          0 ↔ 1, 2 ↔ 3       X = abcd
 *  3       XX..     ....     ..XX     ....          1 → 0, 3 → 2
 *  4       XXXX     ....     ....     ....          2 → 0
 */
#include "primitives/knomial_parts.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  if (c->size < 2) {
    coll_copy(c, a->out, a->in, n);
    return;
  }
  coll_knomial_parts s = coll_knomial_parts_here(c, a);
  coll_number_blocks blocks = coll_knomial_blocks(&s);
  size_t room = coll_meet_spare(s.radix, blocks);
  if (s.v >= 0 && coll_radix_extras(s.radix, s.v) && room < n) room = n;
  void *sum = s.v < 0 ? NULL : s.v ? coll_scratch(c, n) : a->out, *spare = s.v < 0 ? NULL : coll_scratch(c, room);
  if (s.v >= 0) coll_copy(c, sum, a->in, n);
  coll_meet_fold(&s.from_root, s.radix, a->in, sum, spare, n);
  if (s.v < 0) return;
  coll_meet_reduce_scatter(&s.from_root, s.radix, s.v, sum, spare, blocks);
  coll_knomial_parts_gather(&s, sum);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_radix r = coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_DEALT);
  double extras = a->count ? coll_meet_extras(r) : 0, n = (double)(a->count * a->elem);
  return coll_knomial_parts_cost(a, alpha, beta, gamma) + extras * (alpha + n * (beta + gamma));
}

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix: ranks that meet in a step" },
  { .name = NULL },
};

const coll_alg reduce_knomial_reduce_scatter_gather = {
  .key = "reduce/knomial_reduce_scatter_gather",
  .collective = COLL_REDUCE,
  .summary = "Rabenseifner's with radix k: k ranks share a part in each step, then a k-nomial gather",
  .source = "UCC",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = coll_knomial_parts_exact,
};
