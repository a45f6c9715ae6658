/* barrier/dissemination_k[k]
 * Idea     as barrier/dissemination, but a step signals k-1 ranks at once: those k^i, 2 k^i, …, (k-1) k^i to the right
 * Rounds   at most k-1 messages in each of ⌈log_k p⌉ steps
 * Cost     messages × alpha          exact; (k-1) log_k p messages for a power of k
 * Needs    any p, any k
 * Scratch  none
 * Source   Hensgen, Finkel, Manber 1988, Int. J. Parallel Programming 17; MPICH's k_dissemination
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        k = 3: who is known to have come
 *  start   0        1        2        3        4
 *  1       340      401      012      123      234           each to the first and the second on the right
 *  2       01234    01234    01234    01234    01234         each to the third on the right
 */
#include "primitives/bruck.h"

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, k = (int)a->param[0];
  coll_req *req = coll_keep(c, sizeof(coll_req) * 2 * (size_t)p);
  for (long distance = 1; distance < p; distance *= k) {
    int n = 0;
    for (long away = distance; away < p && away < distance * k; away += distance) {
      req[n++] = coll_irecv(c, NULL, 0, (int)((c->rank + p - away) % p));
      req[n++] = coll_isend(c, NULL, 0, (int)((c->rank + away) % p));
    }
    coll_waitall(c, n, req);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_bruck_messages(a->size, (int)a->param[0]) * alpha;
}

static bool exact(const coll_args *a) { return true; }

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix: k-1 signals at once" },
  { .name = NULL },
};

const coll_alg barrier_dissemination_k = {
  .key = "barrier/dissemination_k",
  .collective = COLL_BARRIER,
  .summary = "signal k-1 ranks to the right at distance 1, k, k², …",
  .source = "Hensgen, Finkel, Manber 1988, Int. J. Parallel Programming 17; MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
