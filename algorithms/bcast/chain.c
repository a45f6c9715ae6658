/* bcast/chain[chains,s]
 * Idea     several chains hang on the root; the segments follow each other down all of them
 * Rounds   chains-1 + ⌈(p-1)/chains⌉ when the chains are equally long, and `chains` more for each further segment
 * Cost     (chains (n/s) + (p-1)/chains - 1) (alpha + s beta)          n = bytes; exact for any p and root when
 *          segments are even, with one round less when no chain of the longer sort is the last
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Alessio; Open MPI's coll/tuned bcast 2 (at most 32 chains; its decision functions pass 0, which means 1)
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0, chains = 2
 *  start   x        .        .        .        .
 *  1       x        x        .        .        .             0 → 1
 *  2       x        x        x        x        .             0 → 3, 1 → 2
 *  3       x        x        x        x        x             3 → 4
 */
#include "patterns/segment.h"
#include "primitives/tree_bcast.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_tree_bcast(c, a, COLL_TREE_CHAIN, (int)a->param[0], (size_t)a->param[1]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_tree_bcast_cost(a, COLL_TREE_CHAIN, (int)a->param[0], (size_t)a->param[1], alpha, beta);
}

static bool exact(const coll_args *a) { return coll_segments_even(a, (size_t)a->param[1]); }

static const coll_param params[] = {
  { .name = "chains", .value = 4, .min = 1, .max = 32, .help = "chains that hang on the root" },
  COLL_SEGMENT_PARAM(0),
  { .name = NULL },
};

const coll_alg bcast_chain = {
  .key = "bcast/chain",
  .collective = COLL_BCAST,
  .summary = "several chains hang on the root, in segments",
  .source = "Alessio",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 2 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
