/* bcast/knomial[k,s]
 * Idea     as the binomial tree, but whoever has the data sends it to k-1 others in each step; in segments
 * Rounds   as many as the root has children, for each segment: (k-1) log_k p when p is a power of k
 * Cost     (k-1) (log_k p) (n/s) (alpha + s beta)          n = bytes; exact, with the root's children instead, for
 *          any p and root when segments are even
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Alessio; Open MPI's coll/tuned bcast 7 (k = 4 unless told otherwise)
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4   rank 5        root 0, k = 3
 *  start   x        .        .        .        .        .
 *  1       x        .        .        x        .        .             0 → 3
 *  2       x        x        .        x        x        .             0 → 1, 3 → 4
 *  3       x        x        x        x        x        x             0 → 2, 3 → 5
 */
#include "patterns/segment.h"
#include "primitives/tree_bcast.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_tree_bcast(c, a, COLL_TREE_KNOMIAL, (int)a->param[0], (size_t)a->param[1]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_tree_bcast_cost(a, COLL_TREE_KNOMIAL, (int)a->param[0], (size_t)a->param[1], alpha, beta);
}

static bool exact(const coll_args *a) { return coll_segments_even(a, (size_t)a->param[1]); }

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix: k-1 children per step" },
  COLL_SEGMENT_PARAM(0),
  { .name = NULL },
};

const coll_alg bcast_knomial = {
  .key = "bcast/knomial",
  .collective = COLL_BCAST,
  .summary = "k-nomial tree, in segments",
  .source = "Alessio",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 7 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
