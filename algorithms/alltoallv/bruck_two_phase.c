/* alltoallv/bruck_two_phase[k,lengths]
 * Idea     Bruck with radix k for blocks of any lengths: a block travels by the digits of its distance, in base k; for each digit
 *          every rank sends up to k-1 messages at once, of all blocks whose digit it is. First a message says how long they are,
 *          then one carries them
 * Rounds   at most k-1 messages of data in each of ⌈log_k p⌉ steps; as many before them that say lengths
 * Cost     each message of a step alpha and the most bytes of it at a rank; exact for blocks of one length
 * Needs    any p, any counts, any k
 * Scratch  what is sent in a step, and all that is received
 * Source   Fan et al. 2022, HPDC (two-phase, k = 2); Fan et al. 2024, arXiv 2411.02581 (tunable radix). A
 *          message of lengths is empty here: its few numbers are not data of the call, and cost alpha alone. lengths=known leaves
 *          them out, for programs that repeat a call
 *
 *          rank 0        rank 1        rank 2        ab: a's block for b; k = 2, below: by distance 0, 1, 2
 *  start   00 01 02      11 12 10      22 20 21
 *  1       00 20 02      11 01 10      22 12 21      distance 1 to the right neighbour
 *  2       00 20 10      11 01 21      22 12 02      distance 2 to the second on the right
 */
#include "patterns/rank_block.h"

/* The messages of a digit: to the ranks at multiples of its weight. */
static int values(int p, int k, long weight) {
  long most = (p - 1) / weight;
  return most < k - 1 ? (int)most : k - 1;
}

/* Elements of the block that rank r holds for the rank at a distance, whose lower digits are travelled already. */
static size_t held(const coll_args *a, int r, long distance, long weight) {
  int p = a->size, from = (int)((r + p - distance % weight) % p);
  return coll_sent_block(a, from, (int)((from + distance) % p)).count;
}

/* The distances that have a digit at a weight: for each calls the next, from -1 on; p or more ends. */
static long next(long distance, long weight, int k, int digit) {
  long span = weight * k, at = distance < 0 ? digit * weight : distance + 1;
  return at / weight % k == digit ? at : at - at % span + (at / weight % k < digit ? 0 : span) + digit * weight;
}

static size_t message(const coll_args *a, int r, long weight, int k, int digit) {
  size_t n = 0;
  for (long d = next(-1, weight, k, digit); d < a->size; d = next(d, weight, k, digit)) n += held(a, r, d, weight);
  return n;
}

/* All ranks say how long the blocks of their messages are. */
static void say_lengths(coll_ctx *c, long weight, int last, coll_req *reqs) {
  int p = c->size, posted = 0;
  void *nothing = coll_scratch(c, 0);
  for (int digit = 1; digit <= last; digit++) {
    int away = (int)(digit * weight);
    reqs[posted++] = coll_irecv(c, nothing, 0, (c->rank + p - away) % p);
    reqs[posted++] = coll_isend(c, nothing, 0, (c->rank + away) % p);
  }
  coll_waitall(c, posted, reqs);
}

static void step(coll_ctx *c, const coll_args *a, long weight, int k, const void **block, coll_req *reqs) {
  int p = c->size, last = values(p, k, weight), posted = 0;
  size_t all = 0, at = 0;
  for (int digit = 1; digit <= last; digit++) all += message(a, c->rank, weight, k, digit);
  void *leaving = coll_scratch(c, all);
  for (int digit = 1; digit <= last; digit++) {
    int to = (int)((c->rank + digit * weight) % p), from = (int)((c->rank + p - digit * weight) % p);
    size_t sent = at, n = message(a, from, weight, k, digit);
    for (long d = next(-1, weight, k, digit); d < p; d = next(d, weight, k, digit)) {
      size_t own = held(a, c->rank, d, weight);
      coll_copy(c, coll_at(c, leaving, at), block[d], own);
      at += own;
    }
    void *coming = coll_scratch(c, n);
    if (n) reqs[posted++] = coll_irecv(c, coming, n, from);
    if (at > sent) reqs[posted++] = coll_isend(c, coll_at(c, leaving, sent), at - sent, to);
    n = 0;
    for (long d = next(-1, weight, k, digit); d < p; d = next(d, weight, k, digit)) {
      block[d] = coll_at(c, coming, n);
      n += held(a, from, d, weight);
    }
  }
  if (posted) coll_waitall(c, posted, reqs);
}

static void run(coll_ctx *c, const coll_args *a) {
  int p = c->size, k = (int)a->param[0];
  if (!a->displs && !a->count) return;
  const void **block = coll_keep(c, sizeof *block * (size_t)p); /* by distance */
  coll_req *reqs = coll_keep(c, 2 * sizeof *reqs * (size_t)(p < k ? p : k));
  for (int d = 0; d < p; d++) block[d] = coll_at(c, a->in, coll_sent_block(a, c->rank, (c->rank + d) % p).first);
  for (long weight = 1; weight < p; weight *= k) {
    if (a->param[1]) say_lengths(c, weight, values(p, k, weight), reqs);
    step(c, a, weight, k, block, reqs);
  }
  for (int d = 0; d < p; d++) {
    coll_span out = coll_received_block(a, c->rank, (c->rank + p - d) % p);
    coll_copy(c, coll_at(c, a->out, out.first), block[d], out.count);
  }
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  int k = (int)a->param[0];
  double time = 0;
  if (!a->displs && !a->count) return 0;
  for (long weight = 1; weight < a->size; weight *= k)
    for (int digit = 1; digit <= values(a->size, k, weight); digit++) {
      size_t most = 0;
      for (int r = 0; r < (a->displs ? a->size : 1); r++) {
        size_t n = message(a, r, weight, k, digit);
        if (n > most) most = n;
      }
      time += (a->param[1] ? alpha : 0) + (most ? alpha : 0) + (double)(most * a->elem) * beta;
    }
  return time;
}

static bool exact(const coll_args *a) { return !a->displs; }

static const char *const lengths[] = { "known", "sent", NULL };
static const coll_param params[] = {
  { .name = "k", .value = 2, .min = 2, .max = 1024, .help = "radix: up to k-1 messages at once" },
  { .name = "lengths",
    .value = 1,
    .min = 0,
    .max = 1,
    .words = lengths,
    .help = "sent: a message before each says them" },
  { .name = NULL },
};

const coll_alg alltoallv_bruck_two_phase = {
  .key = "alltoallv/bruck_two_phase",
  .collective = COLL_ALLTOALLV,
  .summary = "Bruck with radix k for blocks of any lengths: lengths, then data",
  .source = "Fan et al. 2022, HPDC; Fan et al. 2024, arXiv 2411.02581",
  .params = params,
  .flags = COLL_ANY_BLOCKS,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
