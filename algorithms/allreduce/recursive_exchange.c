/* allreduce/recursive_exchange[k]
 * Idea     as allreduce/recursive_multiplying, but with p no power of k neighbours form groups of up to k, whose last rank works for
 *          all of them: every sum is of ranks side by side
 * Rounds   (k-1) log_k p' through one port, p' the largest power of k up to p; 2 (k-1) more, or 2 (p-p') if that is less
 * Cost     (k-1) log_k p (alpha + n beta + n gamma)          n = bytes; exact for p a power of k, and for k = 2 with
 *          2 alpha + 2 n beta + n gamma more for the others
 * Needs    any p, any count, any k (k above p is p); keeps the rank order
 * Scratch  k-1 vectors
 * Source   MPICH's recexch (recursive exchange)
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        k = 3
 *  start   a        b        c        d        e
 *  extra   .        .        abc      d        e             1 → 2, 0 → 2
 *  1       .        .        X        X        X             2 ↔ 3, 2 ↔ 4, 3 ↔ 4       X = abcde
 *  extra   X        X        X        X        X             2 → 0, 2 → 1
 */
#include "primitives/meet.h"

static void run(coll_ctx *c, const coll_args *a) { coll_multiply_allreduce(c, a, COLL_RADIX_IN_ORDER); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_multiply_allreduce_cost(a, COLL_RADIX_IN_ORDER, alpha, beta, gamma);
}

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "ranks that meet in a step" },
  { .name = NULL },
};

const coll_alg allreduce_recursive_exchange = {
  .key = "allreduce/recursive_exchange",
  .collective = COLL_ALLREDUCE,
  .summary = "as recursive_multiplying, in the order of ranks for any p",
  .source = "MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = coll_multiply_exact,
};
