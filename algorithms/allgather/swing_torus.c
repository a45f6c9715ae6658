/* allgather/swing_torus[x,y,ports]
 * Idea     Swing on a torus of given extents: exchange all that one has with a rank 1, 1, 3, 5, 11, … away in one dimension, right and left in
 *          turn, the dimensions taking turns and the farthest first. With ports=all blocks are cut into a part for each direction of each
 *          dimension: all go at once and use other links
 * Rounds   lg p
 * Cost     k lg p alpha + (p-1) m beta          m = bytes of a block, k = parts: twice the dimensions with ports=all, else 1; on one port; exact
 *          if k divides the count
 * Needs    p a power of two, any count; the extents must divide p, the first dimension is the ranks' order. Where ranks sit on a real torus
 *          the operations do not say
 * Scratch  all blocks: they travel in the order in which ranks meet
 * Source   De Sensi et al. 2024, Swing (NSDI '24), arXiv:2401.09356
 *
 *          rank 0   rank 1   rank 2   rank 3        2 × 2, ports=one
 *  start   a...     .b..     ..c.     ...d
 *  1       a.c.     .b.d     a.c.     .b.d          0 ↔ 2, 1 ↔ 3
 *  2       abcd     abcd     abcd     abcd          0 ↔ 1, 2 ↔ 3
 */
#include "primitives/swing_torus.h"

static void *prepare(coll_ctx *c, const coll_args *a) {
  return coll_swing_torus_prepare(c, a, (size_t)c->size * a->count);
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t m = a->count;
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * m), a->in, m);
  coll_swing_torus_allgather(c, a->prepared, a->out);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_torus_call t = coll_swing_torus_here(a, 0, (size_t)a->size * a->count);
  return coll_swing_torus_cost(&t, (double)t.n * (double)a->elem, alpha, beta, 0);
}

static bool exact(const coll_args *a) {
  coll_torus_call t = coll_swing_torus_here(a, 0, (size_t)a->size * a->count);
  return coll_torus_even(&t);
}

static const coll_param params[] = { COLL_TORUS_PARAMS, COLL_TORUS_PORTS_PARAM, { .name = NULL } };

const coll_alg allgather_swing_torus = {
  .key = "allgather/swing_torus",
  .collective = COLL_ALLGATHER,
  .summary = "Swing on a torus of given extents, all its directions at once",
  .source = "De Sensi et al. 2024, arXiv:2401.09356",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .supports = coll_swing_torus_supports,
  .prepare = prepare,
  .run = run,
  .cost = cost,
  .exact = exact,
};
