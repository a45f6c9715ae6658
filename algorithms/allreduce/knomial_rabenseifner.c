/* allreduce/knomial_rabenseifner[k]
 * Idea     as Rabenseifner's, with radix k: in each step k ranks cut what is left of the vector into k parts, each adds up one of
 *          them, and all messages of a step are under way at once; the same steps backwards bring the parts together. With p no
 *          power of k, neighbours form groups of up to k, whose last rank works for all of them
 * Rounds   2 (k-1) log_k p' through one port, p' the largest power of k up to p; 2 (k-1) more, or 2 (p-p') if that is less
 * Cost     2 (k-1) log_k p alpha + (p-1)/p n (2 beta + gamma)          n = bytes; exact for p a power of k that divides the count;
 *          each extra of the rank with most adds 2 alpha + 2 n beta + n gamma
 * Needs    any p, any count, any k (k above p is p); keeps the rank order
 * Scratch  k-1 parts of the vector's k; a vector at a rank with extras
 * Source   UCC's sra_knomial (scatter-reduce, allgather); MPICH's k_reduce_scatter_allgather
 *
 *          rank 0   rank 1   rank 2   rank 3        k = 4; rows: elements 0-3
 *  start   aaaa     bbbb     cccc     dddd
 *  1       X...     .X..     ..X.     ...X          each sends each of the others its part       X = abcd
 *  2       XXXX     XXXX     XXXX     XXXX          and then its own
 */
#include "patterns/block.h"
#include "primitives/meet.h"

typedef struct {
  coll_ctx *c;
  void *all;
  size_t n;
  coll_radix r;
  int v, lo,
      width; /* blocks lo … lo + k·width - 1 of the vector, cut into p', are met for in this step; part i is width of them */
  coll_piece *give, *take;
} state;

static coll_piece part(const state *s, int i) {
  coll_span at = coll_blocks(s->n, s->r.king.power, s->lo + i * s->width, s->lo + (i + 1) * s->width);
  return (coll_piece){ coll_at(s->c, s->all, at.first), at.count };
}

/* Parts of lower ranks are added on the left, the nearest first. Those of higher ones go to the right: the sum moves through them. */
static void add(coll_ctx *c, const coll_piece *take, int k, int own, coll_piece sum, bool commutes) {
  if (!sum.n) return;
  for (int i = own - 1; i >= 0; i--) coll_reduce(c, take[i].at, sum.at, sum.n);
  for (int i = own + 1; commutes && i < k; i++) coll_reduce(c, take[i].at, sum.at, sum.n);
  if (commutes || own == k - 1) return;
  for (int i = own + 1; i < k; i++) coll_reduce(c, i == own + 1 ? sum.at : take[i - 1].at, take[i].at, sum.n);
  coll_copy(c, sum.at, take[k - 1].at, sum.n);
}

static void scatter_reduce(state *s, void *spare, bool commutes) {
  int k = s->r.king.k;
  s->width = s->r.king.power;
  for (int step = 0, weight = 1; step < s->r.king.steps; step++, weight *= k) {
    s->width /= k;
    int own = coll_radix_digit(s->r, s->v, weight);
    coll_piece sum = part(s, own);
    for (int i = 0; i < k; i++) {
      s->give[i] = part(s, i);
      s->take[i] = (coll_piece){ coll_at(s->c, spare, (size_t)(i > own ? i - 1 : i) * sum.n), sum.n };
    }
    coll_meet(s->c, s->r, s->v, weight, s->give, s->take);
    add(s->c, s->take, k, own, sum, commutes);
    s->lo += own * s->width;
  }
}

static void allgather(state *s) {
  int k = s->r.king.k;
  for (int weight = s->r.king.power / k; weight; weight /= k, s->width *= k) {
    int own = coll_radix_digit(s->r, s->v, weight);
    s->lo -= own * s->width;
    for (int i = 0; i < k; i++) {
      s->give[i] = part(s, own);
      s->take[i] = part(s, i);
    }
    coll_meet(s->c, s->r, s->v, weight, s->give, s->take);
  }
}

static void run(coll_ctx *c, const coll_args *a) {
  size_t n = a->count;
  if (!n) return;
  coll_radix r = coll_radix_make(c->size, (int)a->param[0], COLL_RADIX_IN_ORDER);
  int k = r.king.k, v = coll_radix_virtual(r, c->rank);
  if (v >= 0) coll_copy(c, a->out, a->in, n);
  size_t room = k > 1 ? (size_t)(k - 1) * coll_blocks(n, r.king.power, 0, r.king.power / k).count : 0;
  if (v >= 0 && coll_radix_extras(r, v) && room < n) room = n;
  void *spare = v >= 0 && room ? coll_scratch(c, room) : NULL;
  coll_meet_fold(c, r, a->in, a->out, spare, n);
  if (v >= 0 && k > 1) {
    coll_piece *pieces = coll_keep(c, sizeof(coll_piece) * 2 * (size_t)k);
    state s = { .c = c, .all = a->out, .n = n, .r = r, .v = v, .give = pieces, .take = pieces + k };
    scatter_reduce(&s, spare, a->commutes);
    allgather(&s);
  }
  coll_meet_unfold(c, r, v, a->out, n);
}

static double cost(const coll_args *a, double alpha, double beta, double gamma) {
  if (!a->count) return 0;
  coll_radix r = coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_IN_ORDER);
  double n = (double)(a->count * a->elem), power = r.king.power;
  return 2 * r.king.steps * (r.king.k - 1) * alpha + (power - 1) / power * n * (2 * beta + gamma) +
         coll_meet_extras(r) * (2 * alpha + 2 * n * beta + n * gamma);
}

static bool exact(const coll_args *a) {
  coll_radix r = coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_IN_ORDER);
  return !a->count || (!r.extra && a->count % (size_t)r.king.power == 0);
}

static const coll_param params[] = {
  { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix: ranks that meet in a step" },
  { .name = NULL },
};

const coll_alg allreduce_knomial_rabenseifner = {
  .key = "allreduce/knomial_rabenseifner",
  .collective = COLL_ALLREDUCE,
  .summary = "Rabenseifner's with radix k: k ranks share a part of the vector in each step",
  .source = "UCC; MPICH",
  .params = params,
  .ports = COLL_PORTS_MANY,
  .run = run,
  .cost = cost,
  .exact = exact,
};
