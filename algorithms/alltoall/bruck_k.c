/* alltoall/bruck_k[k]
 * Idea     as alltoall/bruck, but distances are written in base k: a step is for one digit, and sends for each value of it the
 *          blocks that have it as far as it says, k-1 messages at once
 * Rounds   at most k-1 messages in each of ⌈log_k p⌉ steps
 * Cost     messages × alpha + blocks × m beta          m = bytes of a block; exact; (k-1) log_k p messages and
 *          (k-1)/k p log_k p blocks for a power of k: few blocks where k is large, few messages where it is small
 * Needs    any p, any count, any k, two buffers
 * Scratch  all blocks, and two times (k-1)/k of them
 * Source   Bruck et al. 1997, doi:10.1109/71.642949; MPICH's k_brucks; Fan et al., arXiv:2411.02581
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b; k = 3
 *  start   00 01 02      10 11 12      20 21 22
 *  turn    00 01 02      11 12 10      22 20 21
 *  1       00 20 10      11 01 21      22 12 02      block 1 to the first, block 2 to the second on the right
 *  turn    00 10 20      01 11 21      02 12 22      block i is from the i-th on the left
 */
#include "primitives/bruck.h"

static const char *supports(const coll_args *a) {
  return a->in_place ? "needs two buffers; take alltoall/in_place or alltoall/swap_in_order" : NULL;
}

static void run(coll_ctx *c, const coll_args *a) { coll_bruck_alltoall(c, a, (int)a->param[0]); }

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  int k = (int)a->param[0];
  double bytes = (double)coll_bruck_travels(a->size, k) * (double)(a->count * a->elem);
  return a->count ? coll_bruck_messages(a->size, k) * alpha + bytes * beta : 0;
}

static bool exact(const coll_args *a) { return true; }

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix: k-1 messages at once" },
  { .name = NULL },
};

const coll_alg alltoall_bruck_k = {
  .key = "alltoall/bruck_k",
  .collective = COLL_ALLTOALL,
  .summary = "Bruck with radix k: blocks travel by the digits of their distance",
  .source = "Bruck et al. 1997, doi:10.1109/71.642949; MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .supports = supports,
  .run = run,
  .cost = cost,
  .exact = exact,
};
