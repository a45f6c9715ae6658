/* allgather/recursive_exchange_halving[k]
 * Idea     as allgather/recursive_multiplying, but the farthest meet first, so that the longest messages go to the nearest. So that blocks end
 *          in order, ranks begin by changing their blocks with the rank whose number, in base k, has the same digits the other way around
 * Rounds   1 + (k-1) log_k p' through one port, p' the largest power of k up to p; 2 (k-1) more, or 2 (p-p') if that is less
 * Cost     about alpha + m beta + (k-1) log_k p alpha + (p-1) m beta          m = bytes of a block; exact for p = k, where nobody
 *          changes blocks
 * Needs    any p, any count, any k (k above p is p)
 * Scratch  none
 * Source   Sack and Gropp 2012, Faster topology-aware collective algorithms through non-minimal communication; MPICH's recexch_halving
 *
 *          rank 0   rank 1   rank 2   rank 3        k = 2
 *  start   a...     .b..     ..c.     ...d
 *  digits  a...     .bc.     .bc.     ...d          1 ↔ 2
 *  1       ab..     .bcd     abc.     ..cd          0 ↔ 2: a, b; 1 ↔ 3: c, d
 *  2       abcd     abcd     abcd     abcd          0 ↔ 1, 2 ↔ 3
 */
#include "primitives/meet.h"

static int digits_reversed(int k, int power, int v) {
  int other = 0;
  for (; power > 1; power /= k, v /= k) other = other * k + v % k;
  return other;
}

/* The blocks of `count` numbers from v on, with those of their extras: they lie side by side. */
static coll_piece blocks(coll_ctx *c, const coll_args *a, coll_radix r, int v, int count) {
  size_t first = (size_t)coll_radix_first(r, v), end = (size_t)coll_radix_first(r, v + count);
  return (coll_piece){ coll_at(c, a->out, first * a->count), (end - first) * a->count };
}

static void collect_extras(coll_ctx *c, const coll_args *a, coll_radix r, int v) {
  int extras = coll_radix_extras(r, v);
  coll_req *req = coll_keep(c, sizeof(coll_req) * ((size_t)extras + 1));
  for (int i = 0; i < extras; i++) {
    int from = coll_radix_extra(r, v, i);
    req[i] = coll_irecv(c, coll_at(c, a->out, (size_t)from * a->count), a->count, from);
  }
  coll_waitall(c, extras, req);
}

static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_radix r = coll_radix_make(c->size, (int)a->param[0], COLL_RADIX_IN_ORDER);
  int k = r.king.k, v = coll_radix_virtual(r, c->rank);
  if (v < 0) {
    coll_send(c, a->in, a->count, coll_radix_real(r, coll_radix_home(r, c->rank)));
  } else {
    coll_copy(c, coll_at(c, a->out, (size_t)c->rank * a->count), a->in, a->count);
    collect_extras(c, a, r, v);
    int as = digits_reversed(k, r.king.power, v); /* whose blocks it has from here on */
    if (as != v) {
      coll_piece mine = blocks(c, a, r, v, 1), theirs = blocks(c, a, r, as, 1);
      coll_sendrecv(c, mine.at, mine.n, coll_radix_real(r, as), theirs.at, theirs.n, coll_radix_real(r, as));
    }
    coll_piece *give = coll_keep(c, sizeof(coll_piece) * 2 * (size_t)k), *take = give + k;
    for (int weight = r.king.power / k, have = 1; k > 1 && weight; weight /= k, have *= k) {
      for (int i = 0; i < k; i++) {
        give[i] = blocks(c, a, r, as - as % have, have);
        take[i] = blocks(c, a, r, as - as % (have * k) + i * have, have);
      }
      coll_meet(c, r, v, weight, give, take);
    }
  }
  coll_meet_unfold(c, r, v, a->out, (size_t)c->size * a->count);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (!a->count) return 0;
  coll_radix r = coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_IN_ORDER);
  double p = a->size, m = (double)(a->count * a->elem);
  return (r.king.steps > 1 ? alpha + m * beta : 0) + r.king.steps * (r.king.k - 1) * alpha + (p - 1) * m * beta +
         coll_meet_extras(r) * (2 * alpha + (p + 1) * m * beta);
}

static bool exact(const coll_args *a) {
  coll_radix r = coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_IN_ORDER);
  return !a->count || (!r.extra && r.king.steps < 2);
}

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "ranks that meet in a step" },
  { .name = NULL },
};

const coll_alg allgather_recursive_exchange_halving = {
  .key = "allgather/recursive_exchange_halving",
  .collective = COLL_ALLGATHER,
  .summary = "recursive multiplying, the farthest ranks first",
  .source = "Sack and Gropp 2012; MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
