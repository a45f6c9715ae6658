/* allreduce/circulant
 * Idea     the rounds of reduce_scatter/circulant, then the same ones backwards as an allgather: no rank is folded away, whatever p
 * Rounds   2 ⌈lg p⌉
 * Cost     2 ⌈lg p⌉ alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact where p divides the count
 * Needs    any p, any count; the operator must commute
 * Scratch  one and a half vectors
 * Source   Traff 2024, arXiv 2410.14234
 *
 *          rank 0   rank 1   rank 2        blocks in the order own, next, …; distances 2, 1, 1, 2
 *  start   aaa      bbb      ccc
 *  1       Aa.      Bb.      Cc.           the third to the second rank on the right: A = ab, B = bc, C = ca
 *  2       X..      X..      X..           the second to the right neighbour: X = abc
 *  3       XX.      XX.      XX.           own to the left neighbour
 *  4       XXX      XXX      XXX           own to the second on the left
 */
#include "primitives/circulant.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  void *turned = coll_scratch(c, n);
  coll_circulant_turn(c, turned, a->in, n, NULL);
  coll_circulant_reduce_scatter(c, turned, n, NULL);
  coll_circulant_allgather(c, turned, n);
  coll_circulant_turn_back(c, a->out, turned, n);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double n = (double)(a->count * a->elem);
  return coll_circulant_cost(a->size, n, alpha, beta, gamma) + coll_circulant_cost(a->size, n, alpha, beta, 0);
}

static bool exact(const coll_args *a) { return a->count % (size_t)a->size == 0; }

const coll_alg allreduce_circulant = {
  .key = "allreduce/circulant",
  .collective = COLL_ALLREDUCE,
  .summary = "halving and doubling on the circulant graph, the same rounds for every p",
  .source = "Traff 2024, arXiv 2410.14234",
  .flags = COLL_COMMUTATIVE_ONLY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
