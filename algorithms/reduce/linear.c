/* reduce/linear
 * Idea     the root takes everybody's vector in turn, the last rank's first, and adds it up
 * Rounds   p-1
 * Cost     (p-1) (alpha + n beta + n gamma)          n = bytes; exact for any p and root
 * Needs    any p, any root, any count; keeps the rank order
 * Scratch  one vector at the root; two in place
 * Source   Open MPI's coll/tuned reduce 1
 *
 *          rank 0   rank 1   rank 2        root 0
 *  start   a        b        c
 *  1       c        b        .             2 → 0
 *  2       bc       .        .             1 → 0
 *  3       abc      .        .             the root's own
 */
#include "collscope.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  if (c->rank != a->root) {
    coll_send(c, a->in, a->count, a->root);
    return;
  }
  int last = c->size - 1;
  void *inbox = last ? coll_scratch(c, a->count) : NULL;
  void *sum = last && a->in == a->out ? coll_scratch(c, a->count) : a->out; /* own data must last until its turn */
  if (c->rank == last) coll_copy(c, sum, a->in, a->count);
  else coll_recv(c, sum, a->count, last);
  for (int from = last - 1; from >= 0; from--) {
    if (from != c->rank) coll_recv(c, inbox, a->count, from);
    coll_reduce(c, from == c->rank ? a->in : inbox, sum, a->count);
  }
  coll_copy(c, a->out, sum, a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->count ? (a->size - 1) * (alpha + (double)(a->count * a->elem) * (beta + gamma)) : 0;
}

static bool exact(const coll_args *a) { return true; }

const coll_alg reduce_linear = {
  .key = "reduce/linear",
  .collective = COLL_REDUCE,
  .summary = "the root receives and adds each rank's vector in turn",
  .source = "Open MPI, coll/tuned",
  .twin = { "Open MPI", 1 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
