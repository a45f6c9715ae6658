/* reduce/double_binary_tree[s]
 * Idea     the steps of bcast/double_binary_tree backwards: each half of the vector is summed up a binary tree of its own
 * Rounds   about n/s + 2 lg p
 * Cost     no closed form; about (n/s + 2 lg p) (alpha + s (beta + gamma))          n = bytes
 * Needs    any p, any root, any count; the operator must commute
 * Scratch  a vector at ranks with children (not at the root), and a segment
 * Source   Sanders, Speck and Traff 2009, doi:10.1016/j.parco.2009.09.001; trees as in NCCL
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0, halves L and R, one segment each
 *  start   aa       bb       cc       dd
 *  1       aa       bb       Cc       .d            L: 3 → 2, C = cd
 *  2       aa       .b       P.       .D            L: 1 → 2, P = bcd; R: 2 → 3, D = cd
 *  3       Xa       ..       ..       .S            L: 2 → 0, X = abcd; R: 1 → 3, S = bcd
 *  4       XX       ..       ..       ..            R: 3 → 0
 */
#include "patterns/segment.h"
#include "primitives/double_tree.h"

static void *prepare(coll_ctx *c, const coll_args *a) {
  return coll_double_tree_prepare(c, a, COLL_DOUBLE_TREE_ROOTED, a->root, (size_t)a->param[0]);
}

static void run(coll_ctx *c, const coll_args *a) {
  bool root = c->rank == a->root;
  if (!a->count) return;
  if (c->size < 2) {
    coll_copy(c, a->out, a->in, a->count);
    return;
  }
  const coll_double_tree_call *t = a->prepared;
  coll_double_tree_reduce(c, t, a->in, root ? a->out : t->children ? coll_scratch(c, a->count) : NULL);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg reduce_double_binary_tree = {
  .key = "reduce/double_binary_tree",
  .collective = COLL_REDUCE,
  .summary = "each half of the vector up a binary tree of its own",
  .source = "Sanders, Speck and Traff 2009, doi:10.1016/j.parco.2009.09.001",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .prepare = prepare,
  .run = run,
};
