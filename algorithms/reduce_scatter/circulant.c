/* reduce_scatter/circulant
 * Idea     halving on the circulant graph: what a rank holds for the ranks from a distance on goes to the first of these in one
 *          message, and is added to what that one holds; distances halve, rounded up
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ alpha + (p-1)/p n (beta + gamma)          n = bytes of the vector; exact where p divides the count
 * Needs    any p, any counts; the operator must commute
 * Scratch  one and a half vectors
 * Source   Traff 2024, arXiv 2410.14234
 *
 *          rank 0   rank 1   rank 2        blocks in the order own, next, …; distances 2, 1
 *  start   aaa      bbb      ccc
 *  1       Aa.      Bb.      Cc.           the third to the second rank on the right: A = ab, B = bc, C = ca
 *  2       X..      X..      X..           the second to the right neighbour: X = abc
 */
#include "primitives/circulant.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_circulant_reduce_scatter_to(c, a->in, a->out, a->count, a->displs);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_circulant_cost(a->size, (double)(a->count * a->elem), alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return !a->displs && a->count % (size_t)a->size == 0; }

const coll_alg reduce_scatter_circulant = {
  .key = "reduce_scatter/circulant",
  .collective = COLL_REDUCE_SCATTER,
  .summary = "halving on the circulant graph, the same rounds for every p",
  .source = "Traff 2024, arXiv 2410.14234",
  .flags = COLL_COMMUTATIVE_ONLY | COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
