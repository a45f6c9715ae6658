/* allgather/bucket_torus[x,y]
 * Idea     pass blocks around the rings of a torus' first dimension; then what a ring has around those of the second, and so on: all
 *          messages go to neighbours
 * Rounds   (x-1) + (y-1) + (z-1)
 * Cost     (x + y + z - 3) alpha + (p-1) m beta          m = bytes of a block; exact
 * Needs    any count; the extents must divide p, the first dimension is the ranks' order. Where ranks sit on a real torus the operations do
 *          not say
 * Scratch  none
 * Source   Jain and Sabharwal 2010, Optimal bucket algorithms for large MPI collectives on torus interconnects (ICS '10); compared with Swing
 *          in arXiv:2401.09356
 *
 *          rank 0   rank 1   rank 2   rank 3        2 × 2
 *  start   a...     .b..     ..c.     ...d
 *  1       ab..     ab..     ..cd     ..cd          0 ↔ 1, 2 ↔ 3
 *  2       abcd     abcd     abcd     abcd          0 ↔ 2, 1 ↔ 3
 */
#include "primitives/torus.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_torus_call t = coll_torus_here(a, c->rank, (size_t)c->size * a->count, false);
  coll_rounds w = coll_bucket_rounds(&t);
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * a->count), a->in, a->count);
  coll_rounds_allgather(c, &w, a->out);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_torus_call t = coll_torus_here(a, 0, (size_t)a->size * a->count, false);
  return coll_bucket_torus_cost(&t, (double)t.n * (double)a->elem, alpha, beta, 0);
}

static bool exact(const coll_args *a) { return true; }

static const coll_param params[] = { COLL_TORUS_PARAMS, { .name = NULL } };

const coll_alg allgather_bucket_torus = {
  .key = "allgather/bucket_torus",
  .collective = COLL_ALLGATHER,
  .summary = "blocks around the rings of a torus, one dimension after the other",
  .source = "Jain and Sabharwal 2010, ICS; De Sensi et al. 2024, arXiv:2401.09356",
  .params = params,
  .supports = coll_torus_supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
