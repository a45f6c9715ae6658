/* allgatherv/recursive_doubling
 * Idea     exchange all that one has with the rank at distance 1, 2, 4, …
 * Rounds   lg p
 * Cost     each round alpha and the longest message of it; exact for blocks of one length, m bytes: lg p alpha + (p-1) m beta
 * Needs    p a power of two, any counts
 * Scratch  none
 * Source   Thakur et al. 2005, doi:10.1177/1094342005051521; MPICH
 *
 *          rank 0   rank 1   rank 2   rank 3       rank 1 has two elements
 *  start   a....    .bb..    ...c.    ....d
 *  1       abb..    abb..    ...cd    ...cd        0 ↔ 1, 2 ↔ 3
 *  2       abbcd    abbcd    abbcd    abbcd        0 ↔ 2, 1 ↔ 3
 */
#include "patterns/lg.h"
#include "patterns/rank_block.h"

static const char *supports(const coll_args *a) {
  return coll_is_power_of_two(a->size) ? NULL : "needs a power of two of ranks; MPICH takes allgatherv/bruck instead";
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!coll_all_blocks(a)) return;
  coll_span own = coll_rank_block(a, c->rank);
  coll_copy(c, coll_at(c, a->out, own.first), a->in, own.count);
  for (int distance = 1; distance < c->size; distance *= 2) {
    int partner = c->rank ^ distance, mine = c->rank & -distance, theirs = partner & -distance;
    coll_span has = coll_rank_blocks(a, mine, mine + distance), comes = coll_rank_blocks(a, theirs, theirs + distance);
    coll_sendrecv(c, coll_at(c, a->out, has.first), has.count, partner, coll_at(c, a->out, comes.first), comes.count,
                  partner);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double time = 0;
  for (int distance = 1; distance < a->size && coll_all_blocks(a); distance *= 2) {
    size_t longest = 0;
    for (int first = 0; first < a->size; first += distance) {
      size_t n = coll_rank_blocks(a, first, first + distance).count;
      if (n > longest) longest = n;
    }
    time += alpha + (double)(longest * a->elem) * beta;
  }
  return time;
}

static bool exact(const coll_args *a) { return !a->displs; }

const coll_alg allgatherv_recursive_doubling = {
  .key = "allgatherv/recursive_doubling",
  .collective = COLL_ALLGATHERV,
  .summary = "exchange everything at distance 1, 2, 4, …",
  .source = "Thakur et al. 2005, doi:10.1177/1094342005051521; MPICH",
  .flags = COLL_ANY_BLOCKS,
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
