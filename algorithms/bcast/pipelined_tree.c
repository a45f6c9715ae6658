/* bcast/pipelined_tree[tree,k,s]
 * Idea     down one of MPICH's trees, in segments that follow each other
 * Rounds   as many as until the last rank has been reached, and as many as the busiest rank has children for each further segment
 * Cost     d (alpha + s beta) + (n/s - 1) c (alpha + s beta)          n = bytes, d = messages that are sent one after the other until the last
 *          rank has the first segment, c = most children; exact when segments are even
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   MPICH's pipelined_tree (MPIR_CVAR_BCAST_TREE_TYPE)
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0, k = 2, one segment
 *  kary     x        .        .        .
 *  1        x        x        .        .             0 → 1
 *  2        x        x        x        x             0 → 2, 1 → 3
 *  knomial_1: 0 → 1, then 0 → 3 and 1 → 2; knomial_2: 0 → 2, then 0 → 1 and 2 → 3
 */
#include "primitives/mpich_tree.h"
#include "primitives/tree_bcast.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_tree_bcast(c, a, coll_mpich_shape(a), (int)a->param[COLL_MPICH_K], (size_t)a->param[COLL_MPICH_S]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_tree_bcast_cost(a, coll_mpich_shape(a), (int)a->param[COLL_MPICH_K], (size_t)a->param[COLL_MPICH_S],
                              alpha, beta);
}

static bool exact(const coll_args *a) { return coll_segments_even(a, (size_t)a->param[COLL_MPICH_S]); }

static const coll_param params[] = { COLL_MPICH_TREE_PARAMS, { .name = NULL } };

const coll_alg bcast_pipelined_tree = {
  .key = "bcast/pipelined_tree",
  .collective = COLL_BCAST,
  .summary = "segments down one of MPICH's trees",
  .source = "MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
