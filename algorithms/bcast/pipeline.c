/* bcast/pipeline[s]
 * Idea     one chain of ranks, through which the segments follow each other
 * Rounds   p-2 + n/s
 * Cost     (p-2 + n/s) (alpha + s beta)          n = bytes; exact for any p and root when segments are even
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Open MPI's coll/tuned bcast 3
 *
 *          rank 0   rank 1   rank 2        root 0, two segments
 *  start   ab       ..       ..
 *  1       ab       a.       ..            0 → 1
 *  2       ab       ab       a.            0 → 1, 1 → 2
 *  3       ab       ab       ab            1 → 2
 */
#include "patterns/segment.h"
#include "primitives/tree_bcast.h"

static void run(coll_ctx *c, const coll_args *a) { coll_tree_bcast(c, a, COLL_TREE_CHAIN, 1, (size_t)a->param[0]); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_tree_bcast_cost(a, COLL_TREE_CHAIN, 1, (size_t)a->param[0], alpha, beta);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg bcast_pipeline = {
  .key = "bcast/pipeline",
  .collective = COLL_BCAST,
  .summary = "segments follow each other down one chain",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 3 },
  .run = run,
  .cost = cost,
  .exact = coll_even_segments,
};
