/* allgather/recursive_multiplying[k]
 * Idea     recursive doubling with groups of k: in each step k ranks exchange all that they have, all with all. With p no power of k,
 *          neighbours form groups of up to k, whose last rank works for all of them
 * Rounds   (k-1) log_k p' through one port, p' the largest power of k up to p; 2 (k-1) more, or 2 (p-p') if that is less
 * Cost     (k-1) log_k p alpha + (p-1) m beta          m = bytes of a block; exact for p a power of k; each extra of the rank with most
 *          adds 2 alpha + (p+1) m beta
 * Needs    any p, any count, any k (k above p is p)
 * Scratch  none
 * Source   Wilkins et al. 2023, CLUSTER; MPICH's recexch_doubling
 *
 *          rank 0   rank 1   rank 2   rank 3   rank 4        k = 3
 *  start   a....    .b...    ..c..    ...d.    ....e
 *  extra   a....    .b...    abc..    ...d.    ....e         0 → 2, 1 → 2
 *  1       a....    .b...    abcde    abcde    abcde         2 ↔ 3, 2 ↔ 4, 3 ↔ 4
 *  extra   abcde    abcde    abcde    abcde    abcde         2 → 0, 2 → 1
 */
#include "primitives/meet_blocks.h"

typedef struct {
  coll_radix radix;
  size_t block;
} numbers;

/* With those of their extras: they lie side by side. */
static coll_span blocks_of(const void *how, int lo, int hi) {
  const numbers *n = how;
  size_t first = (size_t)coll_radix_first(n->radix, lo), end = (size_t)coll_radix_first(n->radix, hi);
  return (coll_span){ first * n->block, (end - first) * n->block };
}

/* The extras' blocks. Returns the number of a rank that stays, -1 for others. */
static int collect(coll_ctx *c, const coll_args *a, coll_radix r) {
  int v = coll_radix_virtual(r, c->rank);
  if (v < 0) {
    coll_send(c, a->in, a->count, coll_radix_real(r, coll_radix_home(r, c->rank)));
    return v;
  }
  coll_copy(c, coll_at(c, a->out, (size_t)c->rank * a->count), a->in, a->count);
  int extras = coll_radix_extras(r, v);
  coll_req *req = coll_keep(c, sizeof(coll_req) * ((size_t)extras + 1));
  for (int i = 0; i < extras; i++) {
    int from = coll_radix_extra(r, v, i);
    req[i] = coll_irecv(c, coll_at(c, a->out, (size_t)from * a->count), a->count, from);
  }
  coll_waitall(c, extras, req);
  return v;
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  numbers n = { coll_radix_make(c->size, (int)a->param[0], COLL_RADIX_IN_ORDER), a->count };
  int v = collect(c, a, n.radix);
  if (v >= 0) coll_meet_allgather(c, n.radix, v, a->out, (coll_number_blocks){ blocks_of, &n });
  coll_meet_unfold(c, n.radix, v, a->out, (size_t)c->size * a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (!a->count) return 0;
  coll_radix r = coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_IN_ORDER);
  double p = a->size, m = (double)(a->count * a->elem);
  return r.king.steps * (r.king.k - 1) * alpha + (p - 1) * m * beta +
         coll_meet_extras(r) * (2 * alpha + (p + 1) * m * beta);
}

static bool exact(const coll_args *a) {
  return !a->count || !coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_IN_ORDER).extra;
}

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "ranks that meet in a step" },
  { .name = NULL },
};

const coll_alg allgather_recursive_multiplying = {
  .key = "allgather/recursive_multiplying",
  .collective = COLL_ALLGATHER,
  .summary = "recursive doubling with k ranks that all meet in each step",
  .source = "Wilkins et al. 2023, CLUSTER; MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
