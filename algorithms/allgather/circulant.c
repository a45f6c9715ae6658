/* allgather/circulant
 * Idea     as allgather/bruck, but distances double as p's halves do, rounded up, so that all messages of a round are whole and
 *          the rounds are those of reduce_scatter/circulant backwards
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ alpha + (p-1) m beta          m = bytes of a block; exact
 * Needs    any p, any count
 * Scratch  all blocks
 * Source   Traff 2024, arXiv 2410.14234
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4
 *  start   a....    b....    c....    d....    e....
 *  1       ab...    bc...    cd...    de...    ea...         one to the left neighbour
 *  2       abc..    bcd..    cde..    dea..    eab..         one to the second on the left
 *  3       abcde    bcdea    cdeab    deabc    eabcd         two to the third on the left
 *  turn    abcde    abcde    abcde    abcde    abcde
 */
#include "primitives/circulant.h"

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = (size_t)c->size * a->count;
  if (!n) return;
  void *turned = coll_scratch(c, n);
  coll_copy(c, turned, a->in, a->count);
  coll_circulant_allgather(c, turned, n);
  coll_circulant_turn_back(c, a->out, turned, n);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_circulant_cost(a->size, (double)((size_t)a->size * a->count * a->elem), alpha, beta, 0);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgather_circulant = {
  .key = "allgather/circulant",
  .collective = COLL_ALLGATHER,
  .summary = "doubling on the circulant graph, the same rounds for every p",
  .source = "Traff 2024, arXiv 2410.14234",
  .run = run,
  .cost = cost,
  .exact = exact,
};
