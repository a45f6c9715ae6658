/* bcast/knomial_scatter_allgather[k]
 * Idea     as bcast/scatter_recursive_doubling, with radix k: the blocks of the vector go down a k-nomial tree, then k ranks exchange all that they
 *          have in each step. With p no power of k, ranks from the largest power on (counted from the root) get the vector at the end
 * Rounds   2 (k-1) log_k p' through one port, p' the largest power of k up to p; k-1 more at most
 * Cost     2 (k-1) log_k p alpha + 2 (p-1)/p n beta          n = bytes; exact for k = 2 and p a power of two that divides the count: with more, blocks come
 *          one after the other and some ranks begin before others; each extra of the rank with most adds alpha + n beta
 * Needs    any p, any root, any count, any k (k above p is p)
 * Scratch  none
 * Source   UCC's sag_knomial (scatter, allgather)
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0, k = 2
 *  start   abcd     ....     ....     ....
 *  1       abcd     ....     ..cd     ....          0 → 2
 *  2       abcd     .b..     ..cd     ...d          0 → 1, 2 → 3
 *  3       abcd     ab..     ..cd     ..cd          0 ↔ 1, 2 ↔ 3
 *  4       abcd     abcd     abcd     abcd          0 ↔ 2, 1 ↔ 3
 */
#include "primitives/knomial_parts.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (c->size < 2 || !a->count) return;
  coll_knomial_parts s = coll_knomial_parts_here(c, a);
  coll_knomial_parts_scatter(&s, a->out);
  if (s.v >= 0) coll_meet_allgather(&s.from_root, s.radix, s.v, a->out, coll_knomial_blocks(&s));
  coll_meet_unfold(&s.from_root, s.radix, s.v, a->out, a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_radix r = coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_DEALT);
  double extras = a->count ? coll_meet_extras(r) : 0;
  return coll_knomial_parts_cost(a, alpha, beta, 0) + extras * (alpha + (double)(a->count * a->elem) * beta);
}

static bool exact(const coll_args *a) {
  return coll_knomial_parts_exact(a) && coll_king_make(a->size, (int)a->param[0]).k < 3;
}

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix: ranks that meet in a step" },
  { .name = NULL },
};

const coll_alg bcast_knomial_scatter_allgather = {
  .key = "bcast/knomial_scatter_allgather",
  .collective = COLL_BCAST,
  .summary = "scatter along a k-nomial tree, allgather with k ranks in each step",
  .source = "UCC",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
