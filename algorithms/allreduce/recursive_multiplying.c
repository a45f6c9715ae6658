/* allreduce/recursive_multiplying[k]
 * Idea     recursive doubling with groups of k: in each step k ranks exchange whole vectors, all with all, and add up. With p no
 *          power of k, ranks from the largest power on first hand their vector to one below, and get the sum in the end
 * Rounds   (k-1) log_k p' through one port, p' the largest power of k up to p; 2 ⌈(p-p')/p'⌉ more
 * Cost     (k-1) log_k p (alpha + n beta + n gamma)          n = bytes; exact for p a power of k, and for k = 2 with
 *          2 alpha + 2 n beta + n gamma more for the others
 * Needs    any p, any count, any k (k above p is p); an operator that commutes, unless p is a power of k: then the rank order is
 *          kept
 * Scratch  k-1 vectors
 * Source   Wilkins et al. 2023, CLUSTER; MPICH's recursive_multiplying
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        k = 3
 *  start   a        b        c        d        e
 *  extra   ad       be       c        .        .             3 → 0, 4 → 1
 *  1       X        X        X        .        .             0 ↔ 1, 0 ↔ 2, 1 ↔ 2       X = abcde
 *  extra   X        X        X        X        X             0 → 3, 1 → 4
 */
#include "primitives/meet.h"

static const char *supports(const coll_args *a) {
  if (a->commutes || !coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_DEALT).extra) return NULL;
  return "needs an operator that commutes where p is not a power of k; allreduce/recursive_exchange keeps the order";
}

static void run(coll_ctx *c, const coll_args *a) { coll_multiply_allreduce(c, a, COLL_RADIX_DEALT); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  return coll_multiply_allreduce_cost(a, COLL_RADIX_DEALT, alpha, beta, gamma);
}

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "ranks that meet in a step" },
  { .name = NULL },
};

const coll_alg allreduce_recursive_multiplying = {
  .key = "allreduce/recursive_multiplying",
  .collective = COLL_ALLREDUCE,
  .summary = "recursive doubling with k ranks that all meet in each step",
  .source = "Wilkins et al. 2023, CLUSTER; MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = coll_multiply_exact,
};
