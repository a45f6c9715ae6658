/* reduce/in_order_binary[s]
 * Idea     up a binary tree whose subtrees are ranges of ranks, so that operands stay in order, in segments; the
 *          tree's root is the last rank, which hands the result to the real root
 * Rounds   up to twice the tree's height, 2 more for each further segment, and one
 * Cost     no closed form: sums and messages overlap
 * Needs    any p, any root, any count; keeps the rank order
 * Scratch  a vector at ranks with children (not where the result stays), and two segments
 * Source   Open MPI's coll/tuned reduce 6
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   a        b        c        d
 *  1       .        ab       c        d             0 → 1
 *  2       .        ab       .        cd            2 → 3
 *  3       .        .        .        abcd          1 → 3
 *  4       abcd     .        .        .             3 → 0
 */
#include "patterns/segment.h"
#include "primitives/tree_reduce.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  int last = c->size - 1;
  if (a->root == last) {
    coll_tree_reduce(c, a, a->out, COLL_TREE_IN_ORDER_BINARY, 0, (size_t)a->param[0]);
    return;
  }
  void *sum = c->rank == last ? coll_scratch(c, a->count) : NULL;
  coll_tree_reduce(c, a, sum, COLL_TREE_IN_ORDER_BINARY, 0, (size_t)a->param[0]);
  if (c->rank == last) coll_send(c, sum, a->count, a->root);
  else if (c->rank == a->root) coll_recv(c, a->out, a->count, last);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(0), { .name = NULL } };

const coll_alg reduce_in_order_binary = {
  .key = "reduce/in_order_binary",
  .collective = COLL_REDUCE,
  .summary = "binary tree that keeps the rank order, in segments",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 6 },
  .run = run,
};
