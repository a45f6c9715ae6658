/* alltoallv/linear
 * Idea     post all receives, then all sends, lowest rank first, and wait; nothing is sent of empty blocks
 * Rounds   p-1 where ranks need not wait for each other; through one port about 5/4 p, if no block is empty
 * Cost     at least the most messages that a rank sends or receives × alpha + their bytes × beta; exact for p = 2: as all begin with the
 *          lowest rank, ranks wait for each other
 * Needs    any p, any counts
 * Scratch  none
 * Source   Open MPI's coll/tuned alltoallv 1
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b
 *  start   00 01 02      10 11 12      20 21 22
 *  1       00 10 20      01 11 21      02 12 22      all at once
 */
#include "patterns/rank_block.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_req *reqs = coll_keep(c, 2 * sizeof *reqs * (size_t)c->size);
  int posted = 0;
  coll_span in = coll_sent_block(a, c->rank, c->rank), out = coll_received_block(a, c->rank, c->rank);
  coll_copy(c, coll_at(c, a->out, out.first), coll_at(c, a->in, in.first), in.count);
  for (int from = 0; from < c->size; from++) {
    coll_span b = coll_received_block(a, c->rank, from);
    if (from != c->rank && b.count) reqs[posted++] = coll_irecv(c, coll_at(c, a->out, b.first), b.count, from);
  }
  for (int to = 0; to < c->size; to++) {
    coll_span b = coll_sent_block(a, c->rank, to);
    if (to != c->rank && b.count) reqs[posted++] = coll_isend(c, coll_at(c, a->in, b.first), b.count, to);
  }
  if (posted) coll_waitall(c, posted, reqs);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  double most = 0;
  for (int r = 0; r < a->size; r++)
    for (int out = 0; out < 2; out++) {
      double time = 0;
      for (int i = 0; i < a->size; i++) {
        size_t n = i == r ? 0 : (out ? coll_received_block(a, r, i) : coll_sent_block(a, r, i)).count;
        if (n) time += alpha + (double)(n * a->elem) * beta;
      }
      if (time > most) most = time;
    }
  return most;
}

static bool exact(const coll_args *a) { return a->size < 3; }

const coll_alg alltoallv_linear = {
  .key = "alltoallv/linear",
  .collective = COLL_ALLTOALLV,
  .summary = "all receives and all sends at once",
  .source = "Open MPI, coll/tuned",
  .flags = COLL_ANY_BLOCKS,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
