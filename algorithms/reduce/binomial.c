/* reduce/binomial[s]
 * Idea     pairs of ranks, then pairs of pairs, … add up, in segments; the next message is on its way while one is
 *          added
 * Rounds   ⌈lg p⌉ for each segment
 * Cost     lg p (alpha + n beta + n gamma)          n = bytes; exact for p a power of two and one segment
 * Needs    any p, any root, any count; the operator must commute
 * Scratch  a vector at ranks with children (not at the root), and two segments
 * Source   Open MPI's coll/tuned reduce 5
 *
 *          rank 0   rank 1   rank 2   rank 3        root 0
 *  start   a        b        c        d
 *  1       ab       .        cd       .             1 → 0, 3 → 2
 *  2       abcd     .        .        .             2 → 0
 */
#include "patterns/lg.h"
#include "patterns/segment.h"
#include "primitives/tree_reduce.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_tree_reduce(c, a, a->out, COLL_TREE_IN_ORDER_BINOMIAL, 0, (size_t)a->param[0]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  size_t segments = coll_segments(a->count, coll_segment(a->count, a->elem, (size_t)a->param[0]));
  return coll_lg_up(a->size) * ((double)segments * alpha + (double)(a->count * a->elem) * (beta + gamma));
}

static bool exact(const coll_args *a) {
  return coll_is_power_of_two(a->size) && coll_segment(a->count, a->elem, (size_t)a->param[0]) == a->count;
}

static const coll_param params[] = { COLL_SEGMENT_PARAM(0), { .name = NULL } };

const coll_alg reduce_binomial = {
  .key = "reduce/binomial",
  .collective = COLL_REDUCE,
  .summary = "binomial tree, in segments",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 5 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
