/* gather/linear
 * Idea     the root receives each rank's block, one after the other (naive: a blocking receive for each)
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact for any p and root
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Bird ("simple", long vectors), after Chan et al. 2007, doi:10.1002/cpe.1206; Donninelli (naive);
 *          Open MPI's coll/tuned gather 1
 *
 *          rank 0   rank 1   rank 2        root 0
 *  start   a        b        c
 *  1       ab       -        c             1 → 0
 *  2       abc      -        -             2 → 0
 */
#include "primitives/linear.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_linear_gather(c, a->in, a->out, (size_t)c->size * a->count, a->root);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_linear_cost(a->size, (size_t)a->size * a->count, a->elem, a->root, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg gather_linear = {
  .key = "gather/linear",
  .collective = COLL_GATHER,
  .summary = "the root receives from each rank in turn",
  .source = "Chan et al. 2007, doi:10.1002/cpe.1206; Bird, long vectors (simple); Donninelli (naive)",
  .twin = { "Open MPI", 1 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
