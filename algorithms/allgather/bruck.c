/* allgather/bruck
 * Idea     send all that one has to the left at distance 1, 2, 4, …, own block first; in the end turn the blocks into
 *          place
 * Rounds   ⌈lg p⌉
 * Cost     ⌈lg p⌉ alpha + (p-1) m beta          m = bytes of a block; exact
 * Needs    any p, any count
 * Scratch  up to all blocks
 * Source   Bruck et al. 1997, doi:10.1109/71.642949; Open MPI's coll/tuned allgather 2
 *
 *          rank 0   rank 1   rank 2
 *  start   a..      b..      c..
 *  1       ab.      bc.      ca.            each to the left neighbour
 *  2       abc      bca      cab            one block to the second on the left
 *  turn    abc      abc      abc
 */
#include "patterns/lg.h"
#include "primitives/bruck.h"
#include "primitives/turn.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_copy(c, a->out, a->in, a->count);
  coll_bruck_allgather(c, a->out, a->count, 2);
  coll_turn_here(c, a->out, a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? coll_lg_up(a->size) * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg allgather_bruck = {
  .key = "allgather/bruck",
  .collective = COLL_ALLGATHER,
  .summary = "send everything to the left at distance 1, 2, 4, …",
  .source = "Bruck et al. 1997, doi:10.1109/71.642949",
  .twin = { "Open MPI", 2 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
