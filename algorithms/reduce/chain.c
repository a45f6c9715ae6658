/* reduce/chain[chains,s]
 * Idea     several chains hang on the root; the segments follow each other up all of them
 * Rounds   ⌈(p-1)/chains⌉ + chains-1, and `chains` more for each further segment
 * Cost     (chains (n/s) + ⌈(p-1)/chains⌉ - 1) (alpha + s beta + s gamma)          n = bytes; exact with one chain of
 *          one segment (else sums at the root overlap with messages)
 * Needs    any p, any root, any count; the operator must commute
 * Scratch  a vector at ranks in the middle, two segments at the root
 * Source   Open MPI's coll/tuned reduce 2 (at most 32 chains; its decision functions pass 0, which means 1)
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        root 0, chains = 2
 *  start   a        b        c        d        e
 *  1       a        bc       .        de       .             2 → 1, 4 → 3
 *  2       abc      .        .        de       .             1 → 0
 *  3       abcde    .        .        .        .             3 → 0
 */
#include "patterns/segment.h"
#include "primitives/tree_reduce.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_tree_reduce(c, a, a->out, COLL_TREE_CHAIN, (int)a->param[0], (size_t)a->param[1]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  int chains = coll_tree_fanout(COLL_TREE_CHAIN, (int)a->param[0], a->size), longest = (a->size - 2) / chains + 1;
  size_t segment = coll_segment(a->count, a->elem, (size_t)a->param[1]), segments = coll_segments(a->count, segment);
  return ((double)segments * chains + longest - 1) * (alpha + (double)(segment * a->elem) * (beta + gamma));
}

static bool exact(const coll_args *a) {
  return a->size < 2 || (coll_tree_fanout(COLL_TREE_CHAIN, (int)a->param[0], a->size) == 1 &&
                         coll_segment(a->count, a->elem, (size_t)a->param[1]) == a->count);
}

static const coll_param params[] = {
  { .name = "chains", .value = 4, .min = 1, .max = 32, .help = "chains that hang on the root" },
  COLL_SEGMENT_PARAM(0),
  { .name = NULL },
};

const coll_alg reduce_chain = {
  .key = "reduce/chain",
  .collective = COLL_REDUCE,
  .summary = "several chains hang on the root, in segments",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 2 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
