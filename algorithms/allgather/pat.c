/* allgather/pat[a]
 * Idea     parallel aggregated trees: each block goes down a binomial tree of its own, the far distances first, and a blocks that have
 *          the same way before them travel together. With a as large as can be it is Bruck's algorithm from the far end; with a = 1 each
 *          message is one block, as in a ring
 * Rounds   lg a + P/a - 1 with P = 2^⌈lg p⌉; fewer where p is no power of two
 * Cost     rounds × alpha + (p-1) m beta          m = bytes of a block; exact
 * Needs    any p, any count; a a power of two, P/2 where it is more
 * Scratch  two times the blocks of the longest message, unless that is one
 * Source   Jeaugey 2025, arXiv:2506.20252; NCCL 2.23
 *
 *          rank 0   rank 1   rank 2   rank 3        a = 1
 *  start   a...     .b..     ..c.     ...d
 *  1       a.c.     .b.d     a.c.     .b.d          from the second on the right
 *  2       a.cd     ab.d     abc.     .bcd          what came last, from the first on the right
 *  3       abcd     abcd     abcd     abcd          the own block, from the first on the right
 */
#include "primitives/pat.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * a->count), a->in, a->count);
  coll_pat_allgather(c, a->out, a->count, a->param[0]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (!a->count) return 0;
  return coll_pat_steps(a->size, a->param[0], NULL) * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta;
}

static bool exact(const coll_args *a) { return true; }

static const coll_param params[] = { COLL_PAT_PARAM, { .name = NULL } };

const coll_alg allgather_pat = {
  .key = "allgather/pat",
  .collective = COLL_ALLGATHER,
  .summary = "parallel aggregated trees: a binomial tree for each block, a blocks travel together",
  .source = "Jeaugey 2025, arXiv:2506.20252",
  .params = params,
  .supports = coll_pat_supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
