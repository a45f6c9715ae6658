/* allreduce/double_binary_tree[s]
 * Idea     each half of the vector is summed up a binary tree of its own, in segments, and the sum goes down the same tree. Who has
 *          children in one tree is a leaf of the other, but for rank 0
 * Rounds   about 2 (n/s + 2 lg p)
 * Cost     no closed form; about (n/s + 2 lg p) (2 alpha + s (2 beta + gamma))          n = bytes
 * Needs    any p, any count; the operator must commute
 * Scratch  a segment
 * Source   NCCL 2.4, double binary trees; Sanders, Speck and Traff 2009, doi:10.1016/j.parco.2009.09.001
 *
 *          rank 0   rank 1   rank 2   rank 3        halves L and R, one segment each; roots 0 and 3
 *  start   aa       bb       cc       dd
 *  1       aa       bB       c.       dd            R: 2 → 1, B = bc
 *  2       a.       .E       C.       dd            L: 1 → 2, C = bc; R: 0 → 1, E = abc
 *  3       a.       ..       F.       .X            L: 3 → 2, F = bcd; R: 1 → 3, X = abcd
 *  4-5     X.       ..       X.       .X            L: 2 → 0, then 0 → 2
 *  6       X.       .X       X.       XX            L: 2 → 3; R: 3 → 1
 *  7       XX       XX       X.       XX            L: 2 → 1; R: 1 → 0
 *  8       XX       XX       XX       XX            R: 1 → 2
 */
#include "patterns/segment.h"
#include "primitives/double_tree.h"

static void *prepare(coll_ctx *c, const coll_args *a) {
  return coll_double_tree_prepare(c, a, COLL_DOUBLE_TREE_NCCL, 0, (size_t)a->param[0]);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  if (c->size < 2) {
    coll_copy(c, a->out, a->in, a->count);
    return;
  }
  const coll_double_tree_call *t = a->prepared;
  coll_double_tree_reduce(c, t, a->in, a->out);
  coll_double_tree_bcast(c, t, a->out);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg allreduce_double_binary_tree = {
  .key = "allreduce/double_binary_tree",
  .collective = COLL_ALLREDUCE,
  .summary = "each half of the vector up and down a binary tree of its own",
  .source = "NCCL 2.4; Sanders, Speck and Traff 2009, doi:10.1016/j.parco.2009.09.001",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .prepare = prepare,
  .run = run,
};
