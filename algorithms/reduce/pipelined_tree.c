/* reduce/pipelined_tree[tree,k,s]
 * Idea     up one of MPICH's trees, in segments that follow each other
 * Rounds   those of bcast/pipelined_tree
 * Cost     no closed form: sums and messages overlap
 * Needs    any p, any root, any count; the operator must commute
 * Scratch  a vector at ranks with children (not at the root), and two segments
 * Source   MPICH's tree (of ireduce, MPIR_CVAR_IREDUCE_TREE_TYPE)
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0, k = 2, one segment
 *  kary     a        b        c        d
 *  1        ac       bd       .        .             2 → 0, 3 → 1
 *  2        abcd     .        .        .             1 → 0
 *  knomial_1: 2 → 1, 3 → 0, then 1 → 0; knomial_2: 3 → 2, 1 → 0, then 2 → 0
 */
#include "primitives/mpich_tree.h"
#include "primitives/tree_reduce.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_tree_reduce(c, a, a->out, coll_mpich_shape(a), (int)a->param[COLL_MPICH_K], (size_t)a->param[COLL_MPICH_S]);
}

static const coll_param params[] = { COLL_MPICH_TREE_PARAMS, { .name = NULL } };

const coll_alg reduce_pipelined_tree = {
  .key = "reduce/pipelined_tree",
  .collective = COLL_REDUCE,
  .summary = "segments up one of MPICH's trees",
  .source = "MPICH",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .run = run,
};
