/* reduce_scatter_block/circulant
 * Idea     as reduce_scatter/circulant
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ alpha + (p-1) m (beta + gamma)          m = bytes of a block; exact
 * Needs    any p, any count; the operator must commute
 * Scratch  one and a half vectors
 * Source   Traff 2024, arXiv 2410.14234
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        blocks in the order own, next, …; distances 3, 2, 1
 *  start   aaaaa    bbbbb    ccccc    ddddd    eeeee
 *  1       AAa..    BBb..    CCc..    DDd..    EEe..         the last two by 3: A = ac, B = bd, C = ce, D = da, E = eb
 *  2       PA...    QB...    RC...    SD...    TE...         the third by 2: P = acd, Q = bde, …
 *  3       X....    X....    X....    X....    X....         the second by 1: X = abcde
 */
#include "primitives/circulant.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (a->count) coll_circulant_reduce_scatter_to(c, a->in, a->out, (size_t)a->size * a->count, NULL);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_circulant_cost(a->size, (double)((size_t)a->size * a->count * a->elem), alpha, beta, gamma);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg reduce_scatter_block_circulant = {
  .key = "reduce_scatter_block/circulant",
  .collective = COLL_REDUCE_SCATTER_BLOCK,
  .summary = "halving on the circulant graph, the same rounds for every p",
  .source = "Traff 2024, arXiv 2410.14234",
  .flags = COLL_COMMUTATIVE_ONLY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
