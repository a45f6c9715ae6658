/* barrier/recursive_king[k]
 * Idea     recursive doubling with groups of k: in each step k ranks all tell each other. With p no power of k, the ranks
 *          above the largest power first report to one below, and wait for its word
 * Rounds   (k-1) log_k p' through one port, p' the largest power of k up to p; 2 ⌈(p-p')/p'⌉ more
 * Cost     as many alpha; exact for one port where p is a power of k, or k = 2
 * Needs    any p, any k; k above p is p
 * Scratch  none
 * Source   Cheetah (recursive k'ing)
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        k = 2: who has been heard of
 *  start   a        b        c        d        e
 *  extra   ae       b        c        d        e             4 → 0
 *  1       abe      abe      cd       cd       e             0 ↔ 1, 2 ↔ 3
 *  2       abcde    abcde    abcde    abcde    e             0 ↔ 2, 1 ↔ 3
 *  extra   abcde    abcde    abcde    abcde    abcde         0 → 4
 */
#include "patterns/king.h"
#include "primitives/fan.h"

static void run(coll_ctx *c, const coll_args *a) {
  coll_group all = { .ctx = *c };
  coll_recursive_king(&all, (int)a->param[0]);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_king r = coll_king_make(a->size, (int)a->param[0]);
  int extras = (a->size - 1) / r.power; /* of the rank that looks after most: ⌈(p-p')/p'⌉ */
  return (r.steps * (r.k - 1) + 2 * extras) * alpha;
}

/* With k > 2 ranks without extras begin their sends while their partners still listen to extras: the ports' order shifts. */
static bool exact(const coll_args *a) {
  coll_king r = coll_king_make(a->size, (int)a->param[0]);
  return r.power == a->size || r.k == 2;
}

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "ranks that meet in a step" },
  { .name = NULL },
};

const coll_alg barrier_recursive_king = {
  .key = "barrier/recursive_king",
  .collective = COLL_BARRIER,
  .summary = "recursive doubling with k ranks that all meet in each step",
  .source = "Cheetah",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
