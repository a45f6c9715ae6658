/* allgather/batched[max_requests]
 * Idea     each rank sends its block straight to all the others, to the next one on the left first; so many receives and as many
 *          sends at once: what is under way stays little
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact
 * Needs    any p, any count
 * Scratch  none
 * Source   UCC's batched linear allgather, which replaces whichever request ends first; here it is the oldest, so that the schedule
 *          does not depend on timing
 *
 *          rank 0   rank 1   rank 2        max_requests = 1
 *  start   a..      .b.      ..c
 *  1       ab.      .bc      a.c           0 → 2, 1 → 0, 2 → 1; then the next
 *  2       abc      abc      abc           0 → 1, 1 → 2, 2 → 0
 */
#include "primitives/exchange.h"

static void run(coll_ctx *c, const coll_args *a) { coll_exchange_own(c, a, a->param[0]); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_exchange_cost(a, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

static const coll_param params[] = { COLL_WINDOW_PARAM(4), { .name = NULL } };

const coll_alg allgather_batched = {
  .key = "allgather/batched",
  .collective = COLL_ALLGATHER,
  .summary = "each block straight to all ranks, a limited number at once",
  .source = "UCC",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
