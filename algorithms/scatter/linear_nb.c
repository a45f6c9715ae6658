/* scatter/linear_nb[blocking_every=k]
 * Idea     the root posts sends to all ranks and waits for them at the end; every k-th rank's send blocks, to hold the
 *          others back
 * Rounds   p-1 through one port, fewer where messages from the root may overlap
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; for one port, exact for any p and root
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Open MPI's coll/tuned scatter 3; there k is coll_tuned_scatter_algorithm_max_requests
 *
 *          rank 0   rank 1   rank 2        root 0
 *  start   abc      .        .
 *  1       abc      b        c             0 → 1, 0 → 2, in any order
 */
#include "primitives/linear.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  size_t m = a->count;
  long every = a->param[0];
  if (c->rank != a->root) {
    coll_recv(c, a->out, m, a->root);
    return;
  }
  coll_req *reqs = coll_keep(c, (size_t)c->size * sizeof *reqs);
  int posted = 0;
  for (int i = 0; i < c->size; i++) {
    const void *block = coll_at(c, a->in, (size_t)i * m);
    if (i == a->root) coll_copy(c, a->out, block, m);
    else if (every > 1 && i % every == 0) coll_send(c, block, m, i);
    else reqs[posted++] = coll_isend(c, block, m, i);
  }
  coll_waitall(c, posted, reqs);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_linear_cost(a->size, (size_t)a->size * a->count, a->elem, a->root, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

static const coll_param params[] = {
  { .name = "blocking_every",
    .value = 0,
    .min = 0,
    .max = 1L << 20,
    .help = "the sends to ranks that it divides block; 0 and 1: none" },
  { .name = NULL },
};

const coll_alg scatter_linear_nb = {
  .key = "scatter/linear_nb",
  .collective = COLL_SCATTER,
  .summary = "the root posts all sends at once",
  .source = "Open MPI coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 3 },
  .run = run,
  .cost = cost,
  .exact = exact,
};
