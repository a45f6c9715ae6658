/* allreduce/bucket_torus[x,y,ports]
 * Idea     add up around the rings of a torus, one dimension after the other, until each rank has a block of the sum; then back, passing
 *          blocks around: all messages go to neighbours. With ports=all the vector is cut into a part for each direction of each dimension:
 *          all go at once, each over other links
 * Rounds   2 ((x-1) + (y-1) + (z-1))
 * Cost     2 k (x + y + z - 3) alpha + (p-1)/p n (2 beta + gamma)          n = bytes, k = parts: twice the dimensions with ports=all, else
 *          1; on one port; exact if the count is a multiple of k p
 * Needs    any count; the operator must commute. The extents must divide p, the first dimension is the ranks' order. Where ranks sit on a
 *          real torus the operations do not say
 * Scratch  one vector
 * Source   Jain and Sabharwal 2010, Optimal bucket algorithms for large MPI collectives on torus interconnects (ICS '10); Sack and Gropp 2015,
 *          Collective algorithms for multiported torus networks (ACM TOPC); compared with Swing in arXiv:2401.09356
 *
 *          rank 0   rank 1   rank 2   rank 3        2 × 2, ports=one; rows: elements 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       SS..     TT..     ..SS     ..TT          0 ↔ 2, 1 ↔ 3       S = ac, T = bd
 *  2       X...     .X..     ..X.     ...X          0 ↔ 1, 2 ↔ 3       X = abcd
 *  3       XX..     XX..     ..XX     ..XX          0 ↔ 1, 2 ↔ 3
 *  4       XXXX     XXXX     XXXX     XXXX          0 ↔ 2, 1 ↔ 3
 */
#include "primitives/torus.h"

enum { PORTS = 2 };

static void run(coll_ctx *c, const coll_args *a) {
  coll_torus_call t = coll_torus_here(a, c->rank, a->count, a->param[PORTS]);
  coll_rounds w = coll_bucket_rounds(&t);
  coll_rounds_allreduce(c, a, &w);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_torus_call t = coll_torus_here(a, 0, a->count, a->param[PORTS]);
  double n = (double)(a->count * a->elem);
  return coll_bucket_torus_cost(&t, n, alpha, beta, gamma) + coll_bucket_torus_cost(&t, n, alpha, beta, 0);
}

static bool exact(const coll_args *a) {
  coll_torus_call t = coll_torus_here(a, 0, a->count, a->param[PORTS]);
  return coll_torus_even(&t);
}

static const coll_param params[] = { COLL_TORUS_PARAMS, COLL_TORUS_PORTS_PARAM, { .name = NULL } };

const coll_alg allreduce_bucket_torus = {
  .key = "allreduce/bucket_torus",
  .collective = COLL_ALLREDUCE,
  .summary = "around the rings of a torus, one dimension after the other, and back",
  .source = "Jain and Sabharwal 2010, ICS; Sack and Gropp 2015, ACM TOPC; De Sensi et al. 2024, arXiv:2401.09356",
  .params = params,
  .flags = COLL_COMMUTATIVE_ONLY,
  .ports = COLL_PORTS_MANY,
  .supports = coll_torus_supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
