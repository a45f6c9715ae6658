/* gather/linear_nb
 * Idea     the root posts all receives at once, then waits for them (naive, improved): no rank waits for its turn
 * Rounds   p-1 through one port, 1 where messages to the root may overlap
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; for one port, exact for any p and root
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Donninelli (naive_gather_improved)
 *
 *          rank 0   rank 1   rank 2        root 0
 *  start   a        b        c
 *  1       abc      -        -             1 → 0, 2 → 0, in any order
 */
#include "primitives/linear.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t m = a->count;
  if (c->rank != a->root) {
    coll_send(c, a->in, m, a->root);
    return;
  }
  coll_req *reqs = coll_keep(c, (size_t)c->size * sizeof *reqs);
  int posted = 0;
  for (int i = 0; i < c->size; i++)
    if (i != a->root) reqs[posted++] = coll_irecv(c, coll_at(c, a->out, (size_t)i * m), m, i);
  coll_copy(c, coll_at(c, a->out, (size_t)a->root * m), a->in, m);
  coll_waitall(c, posted, reqs);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_linear_cost(a->size, (size_t)a->size * a->count, a->elem, a->root, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

const coll_alg gather_linear_nb = {
  .key = "gather/linear_nb",
  .collective = COLL_GATHER,
  .summary = "the root posts all receives at once",
  .source = "Donninelli (naive_gather_improved)",
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
