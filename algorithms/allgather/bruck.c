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
#include "collscope.h"
#include "patterns/lg.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  size_t m = a->count;
  if (!m) return;
  coll_copy(c, a->out, a->in, m);
  for (int have = 1; have < p; have *= 2) {
    size_t n = (size_t)(have <= p / 2 ? have : p - have) * m;
    coll_sendrecv(c, a->out, n, (c->rank + p - have) % p, coll_at(c, a->out, (size_t)have * m), n,
                  (c->rank + have) % p);
  }
  if (!c->rank) return;
  size_t own_on = (size_t)(p - c->rank) * m, before = (size_t)c->rank * m;
  void *aside = coll_scratch(c, own_on);
  coll_copy(c, aside, a->out, own_on);
  /* The blocks of lower ranks move to the front; where they overlap their new place they are moved piece by piece. */
  for (size_t done = 0; done < before;) {
    size_t n = before - done < own_on ? before - done : own_on;
    coll_copy(c, coll_at(c, a->out, done), coll_at(c, a->out, own_on + done), n);
    done += n;
  }
  coll_copy(c, coll_at(c, a->out, before), aside, own_on);
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
