/* alltoallv/pairwise
 * Idea     in step i send to the i-th rank on the right and receive from the i-th on the left; empty blocks travel as empty messages
 * Rounds   p-1
 * Cost     each step alpha and the longest block of it; exact for blocks of one length, m bytes: (p-1) (alpha + m beta)
 * Needs    any p, any counts
 * Scratch  none
 * Source   Open MPI's coll/tuned alltoallv 2
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b
 *  start   00 01 02      10 11 12      20 21 22
 *  1       00 .. 20      01 11 ..      .. 12 22      0 → 1, 1 → 2, 2 → 0
 *  2       00 10 20      01 11 21      02 12 22      0 → 2, 1 → 0, 2 → 1
 */
#include "patterns/rank_block.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size;
  if (!a->displs && !a->count) return;
  coll_span in = coll_sent_block(a, c->rank, c->rank), out = coll_received_block(a, c->rank, c->rank);
  coll_copy(c, coll_at(c, a->out, out.first), coll_at(c, a->in, in.first), in.count);
  for (int step = 1; step < p; step++) {
    int to = (c->rank + step) % p, from = (c->rank + p - step) % p;
    coll_span gives = coll_sent_block(a, c->rank, to), takes = coll_received_block(a, c->rank, from);
    coll_sendrecv(c, coll_at(c, a->in, gives.first), gives.count, to, coll_at(c, a->out, takes.first), takes.count,
                  from);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double time = 0;
  if (!a->displs && !a->count) return 0;
  for (int step = 1; step < a->size; step++) {
    size_t most = 0;
    for (int r = 0; r < a->size; r++) {
      size_t n = coll_sent_block(a, r, (r + step) % a->size).count;
      if (n > most) most = n;
    }
    time += alpha + (double)(most * a->elem) * beta;
  }
  return time;
}

static bool exact(const coll_args *a) { return !a->displs; }

const coll_alg alltoallv_pairwise = {
  .key = "alltoallv/pairwise",
  .collective = COLL_ALLTOALLV,
  .summary = "one partner per step, at growing distance",
  .source = "Open MPI, coll/tuned",
  .flags = COLL_ANY_BLOCKS,
  .run = run,
  .cost = cost,
  .exact = exact,
};
