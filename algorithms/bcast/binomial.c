/* bcast/binomial[s]
 * Idea     whoever has the data sends it on: 1, 2, 4, … ranks have it; in segments
 * Rounds   ⌈lg p⌉ for each segment
 * Cost     ⌈lg p⌉ (n/s) (alpha + s beta)          n = bytes; exact for any p and root when segments are even
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Alessio; Open MPI's coll/tuned bcast 6
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0
 *  start   x        .        .        .        .
 *  1       x        x        .        .        .             0 → 1
 *  2       x        x        x        x        .             0 → 2, 1 → 3
 *  3       x        x        x        x        x             0 → 4
 */
#include "patterns/segment.h"
#include "primitives/tree_bcast.h"

static void run(coll_ctx *c, const coll_args *a) { coll_tree_bcast(c, a, COLL_TREE_BINOMIAL, 0, (size_t)a->param[0]); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_tree_bcast_cost(a, COLL_TREE_BINOMIAL, 0, (size_t)a->param[0], alpha, beta);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(0), { .name = NULL } };

const coll_alg bcast_binomial = {
  .key = "bcast/binomial",
  .collective = COLL_BCAST,
  .summary = "binomial tree, in segments",
  .source = "Alessio",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 6 },
  .run = run,
  .cost = cost,
  .exact = coll_even_segments,
};
