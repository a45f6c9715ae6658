/* bcast/double_binary_tree[s]
 * Idea     each half of the vector goes down a binary tree of its own, in segments; who passes one half on only receives the
 *          other. In a step a rank sends one segment at most and receives one at most
 * Rounds   about n/s + 2 lg p
 * Cost     no closed form; about (n/s + 2 lg p) (alpha + s beta)          n = bytes
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Sanders, Speck and Traff 2009, doi:10.1016/j.parco.2009.09.001; trees as in NCCL
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0, halves L and R, one segment each
 *  start   LR       ..       ..       ..       ..
 *  1       LR       ..       ..       ..       L.            0 → 4
 *  2       LR       .R       L.       ..       L.            4 → 2, 0 → 1
 *  3       LR       LR       L.       .R       L.            2 → 1, 1 → 3
 *  4       LR       LR       L.       LR       LR            2 → 3, 3 → 4
 *  5       LR       LR       LR       LR       LR            3 → 2
 */
#include "patterns/segment.h"
#include "primitives/double_tree.h"

static void *prepare(coll_ctx *c, const coll_args *a) {
  return coll_double_tree_prepare(c, a, COLL_DOUBLE_TREE_ROOTED, a->root, (size_t)a->param[0]);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (a->prepared) coll_double_tree_bcast(c, a->prepared, a->out);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg bcast_double_binary_tree = {
  .key = "bcast/double_binary_tree",
  .collective = COLL_BCAST,
  .summary = "each half of the vector down a binary tree of its own",
  .source = "Sanders, Speck and Traff 2009, doi:10.1016/j.parco.2009.09.001",
  .params = params,
  .prepare = prepare,
  .run = run,
};
