/* reduce_scatter/pat[a]
 * Idea     parallel aggregated trees: allgather/pat backwards. The sum of each block grows up a binomial tree of its own, the far
 *          distances last, and a blocks that have the same way before them travel together
 * Rounds   lg a + P/a - 1 with P = 2^⌈lg p⌉; fewer where p is no power of two
 * Cost     rounds × alpha + (p-1)/p n (beta + gamma)          n = bytes of the vector; exact where p divides the count
 * Needs    any p, any count; a a power of two, P/2 where it is more; the operator must commute
 * Scratch  one vector, and two times the blocks of the longest message
 * Source   Jeaugey 2025, arXiv:2506.20252; NCCL 2.23
 *
 *          rank 0   rank 1   rank 2   rank 3        a = 1; rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       P.aa     bQ.b     ccR.     .ddS          to the first on the right its block    P = ad, Q = ab, R = bc, S = cd
 *  2       P.P.     .Q.Q     R.R.     .S.S          to the first on the right the block of the third
 *  3       X...     .X..     ..X.     ...X          to the second on the right its block   X = abcd
 */
#include "primitives/pat.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_pat_reduce_scatter(c, a->in, a->out, a->count, a->param[0]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (!a->count) return 0;
  double blocks = (a->size - 1.0) / a->size;
  return coll_pat_steps(a->size, a->param[0], NULL) * alpha + blocks * (double)(a->count * a->elem) * (beta + gamma);
}

static bool exact(const coll_args *a) { return a->count % (size_t)a->size == 0; }

static const coll_param params[] = { COLL_PAT_PARAM, { .name = NULL } };

const coll_alg reduce_scatter_pat = {
  .key = "reduce_scatter/pat",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "parallel aggregated trees: a binomial tree for each block, a blocks travel together",
  .source = "Jeaugey 2025, arXiv:2506.20252",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .supports = coll_pat_supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
