/* reduce/binary[s]
 * Idea     up a complete binary tree, in segments
 * Rounds   up to twice the tree's height, and 2 more for each further segment
 * Cost     no closed form: sums and messages overlap
 * Needs    any p, any root, any count; the operator must commute
 * Scratch  a vector at ranks with children (not at the root), and two segments
 * Source   Open MPI's coll/tuned reduce 4
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0; on a level w wide, v has v+w, v+2w
 *  start   a        b        c        d        e
 *  1       a        bd       ce       .        .             3 → 1, 4 → 2
 *  2       abd      .        ce       .        .             1 → 0
 *  3       abcde    .        .        .        .             2 → 0
 */
#include "patterns/segment.h"
#include "primitives/tree_reduce.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_tree_reduce(c, a, a->out, COLL_TREE_BINARY, 0, (size_t)a->param[0]);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(0), { .name = NULL } };

const coll_alg reduce_binary = {
  .key = "reduce/binary",
  .collective = COLL_REDUCE,
  .summary = "complete binary tree, in segments",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 4 },
  .run = run,
};
