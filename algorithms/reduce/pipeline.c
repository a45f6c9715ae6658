/* reduce/pipeline[s]
 * Idea     one chain of ranks, up which the segments follow each other
 * Rounds   p-2 + n/s
 * Cost     (p-2 + n/s) (alpha + s beta + s gamma)          n = bytes; exact when segments are even and there are at
 *          least three ranks (two: the sums of all but the last segment are hidden) or one segment
 * Needs    any p, any root, any count; the operator must commute
 * Scratch  a vector at ranks in the middle
 * Source   Open MPI's coll/tuned reduce 3
 *
 *          rank 0   rank 1   rank 2        root 0, two segments
 *  start   a a      b b      c c
 *  1       a a      bc b     . c           2 → 1
 *  2       abc a    . bc     . .           1 → 0, 2 → 1
 *  3       abc abc  . .      . .           1 → 0
 */
#include "patterns/segment.h"
#include "primitives/tree_reduce.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_tree_reduce(c, a, a->out, COLL_TREE_CHAIN, 1, (size_t)a->param[0]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  size_t segment = coll_segment(a->count, a->elem, (size_t)a->param[0]), segments = coll_segments(a->count, segment);
  return (a->size - 2 + (double)segments) * (alpha + (double)(segment * a->elem) * (beta + gamma));
}

static bool exact(const coll_args *a) {
  size_t segment = coll_segment(a->count, a->elem, (size_t)a->param[0]);
  return segment == a->count || (a->count % segment == 0 && a->size > 2);
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(64 << 10), { .name = NULL } };

const coll_alg reduce_pipeline = {
  .key = "reduce/pipeline",
  .collective = COLL_REDUCE,
  .summary = "segments follow each other up one chain",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 3 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
