/* allgather/bruck_k[k]
 * Idea     as allgather/bruck, but a step multiplies what a rank has by k: it sends all of it to the left at distance d, 2d, …,
 *          (k-1)d at once, and d is 1, k, k², …
 * Rounds   at most k-1 messages in each of ⌈log_k p⌉ steps
 * Cost     messages × alpha + (p-1) m beta          m = bytes of a block; exact; (k-1) log_k p messages for a power of k
 * Needs    any p, any count, any k
 * Scratch  up to all blocks
 * Source   Bruck et al. 1997, doi:10.1109/71.642949; MPICH's k_brucks; "bruck-k-fanout" in the main branch of Open MPI's
 *          coll/tuned; Wilkins et al. 2023, CLUSTER
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        k = 3
 *  start   a....    b....    c....    d....    e....
 *  1       abc..    bcd..    cde..    dea..    eab..         one block to the first and to the second on the left
 *  2       abcde    bcdea    cdeab    deabc    eabcd         two blocks to the third on the left
 *  turn    abcde    abcde    abcde    abcde    abcde
 */
#include "primitives/bruck.h"
#include "primitives/turn.h"

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_copy(c, a->out, a->in, a->count);
  coll_bruck_allgather(c, a->out, a->count, (int)a->param[0]);
  coll_turn_here(c, a->out, a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (!a->count) return 0;
  return coll_bruck_messages(a->size, (int)a->param[0]) * alpha + (a->size - 1.0) * (double)(a->count * a->elem) * beta;
}

static bool exact(const coll_args *a) { return true; }

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix: k-1 messages at once" },
  { .name = NULL },
};

const coll_alg allgather_bruck_k = {
  .key = "allgather/bruck_k",
  .collective = COLL_ALLGATHER,
  .summary = "Bruck with radix k: send everything to the left at k-1 distances at once",
  .source = "Bruck et al. 1997, doi:10.1109/71.642949; MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
