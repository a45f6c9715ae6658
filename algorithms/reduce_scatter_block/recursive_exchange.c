/* reduce_scatter_block/recursive_exchange[k]
 * Idea     recursive halving with groups of k: in each step k ranks cut what is left of the vector into k parts, each adds up one of them,
 *          and all messages of a step are under way at once; the farthest meet first. With p no power of k, neighbours form groups of up
 *          to k, whose last rank works for all of them
 * Rounds   (k-1) log_k p' through one port, p' the largest power of k up to p; 2 (k-1) more, or 2 (p-p') if that is less
 * Cost     (k-1) log_k p alpha + (p-1)/p n (beta + gamma)          n = bytes of all blocks; exact for p a power of k;
 *          each extra of the rank with most adds 2 alpha + n (beta + gamma) + n/p beta
 * Needs    any p, any count, any k (k above p is p); the operator must commute
 * Scratch  a vector and k-1 parts of the vector's k; a second vector at a rank with extras
 * Source   MPICH's recexch (of ireduce_scatter_block)
 *
 *          rank 0   rank 1   rank 2   rank 3        k = 2; rows: blocks 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     TT..     ..SS     ..TT          0 ↔ 2, 1 ↔ 3       S = ac, T = bd
 *  2       X...     .X..     ..X.     ...X          0 ↔ 1, 2 ↔ 3       X = abcd
 */
#include "primitives/meet_blocks.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_meet_reduce_scatter_to(c, a->in, a->out, (size_t)c->size * a->count, (int)a->param[0]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_meet_reduce_scatter_cost(a->size, (int)a->param[0], (double)a->size * (double)(a->count * a->elem), alpha,
                                       beta, gamma);
}

static bool exact(const coll_args *a) {
  return coll_meet_reduce_scatter_exact(a->size, (int)a->param[0], (size_t)a->size * a->count);
}

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "ranks that meet in a step" },
  { .name = NULL },
};

const coll_alg reduce_scatter_block_recursive_exchange = {
  .key = "reduce_scatter_block/recursive_exchange",
  .collective = COLL_REDUCE_SCATTER_BLOCK,
  .summary = "recursive halving with k ranks that all meet in each step",
  .source = "MPICH",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
