/* alltoall/linear_sync[max_requests]
 * Idea     as alltoall/linear, with at most so many receives and so many sends outstanding
 * Rounds   p-1
 * Cost     (p-1) (alpha + m beta)          m = bytes of a block; exact
 * Needs    any p, any count, two buffers
 * Scratch  none
 * Source   Open MPI's coll/tuned alltoall 4. Open MPI replaces whichever request ends first; here it is the oldest, so
 *          that the schedule does not depend on timing: each pair's messages are the same
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b; max_requests = 1
 *  start   00 01 02      10 11 12      20 21 22
 *  1       00 10 ..      .. 11 21      02 .. 22      0 → 2, 1 → 0, 2 → 1; then the next
 *  2       00 10 20      01 11 21      02 12 22      0 → 1, 1 → 2, 2 → 0
 */
#include "primitives/exchange.h"

static const char *supports(const coll_args *a) { return coll_exchange_supports(a); }

static void run(coll_ctx *c, const coll_args *a) { coll_exchange(c, a, a->param[0]); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_exchange_cost(a, alpha, beta);
}

static bool exact(const coll_args *a) { return true; }

static const coll_param params[] = { COLL_WINDOW_PARAM(0), { .name = NULL } };

const coll_alg alltoall_linear_sync = {
  .key = "alltoall/linear_sync",
  .collective = COLL_ALLTOALL,
  .summary = "a limited number of receives and sends at once",
  .source = "Open MPI, coll/tuned",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .twin = { "Open MPI", 4 },
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
