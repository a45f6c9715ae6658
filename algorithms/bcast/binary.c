/* bcast/binary[s]
 * Idea     down a complete binary tree, in segments
 * Rounds   up to twice the tree's height, and 2 more for each further segment
 * Cost     (h + 2 (n/s - 1)) (alpha + s beta)          n = bytes, h = sends before the last rank is reached; exact
 *          for any p and root when segments are even
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Alessio; Open MPI's coll/tuned bcast 5
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0; on a level w wide, v has v+w, v+2w
 *  start   x        .        .        .        .
 *  1       x        x        .        .        .             0 → 1
 *  2       x        x        x        x        .             0 → 2, 1 → 3
 *  3       x        x        x        x        x             2 → 4
 */
#include "patterns/segment.h"
#include "primitives/tree_bcast.h"

static void run(coll_ctx *c, const coll_args *a) { coll_tree_bcast(c, a, COLL_TREE_BINARY, 0, (size_t)a->param[0]); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_tree_bcast_cost(a, COLL_TREE_BINARY, 0, (size_t)a->param[0], alpha, beta);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(0), { .name = NULL } };

const coll_alg bcast_binary = {
  .key = "bcast/binary",
  .collective = COLL_BCAST,
  .summary = "complete binary tree, in segments",
  .source = "Alessio",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 5 },
  .run = run,
  .cost = cost,
  .exact = coll_even_segments,
};
