#include "primitives/meet_blocks.h"

static coll_piece piece(coll_ctx *c, void *vector, coll_number_blocks b, int lo, int hi) {
  coll_span s = b.span(b.how, lo, hi);
  return (coll_piece){ coll_at(c, vector, s.first), s.count };
}

void coll_meet_allgather(coll_ctx *c, coll_radix r, int v, void *all, coll_number_blocks b) {
  int k = r.king.k;
  coll_piece *give = coll_keep(c, sizeof(coll_piece) * 2 * (size_t)k), *take = give + k;
  for (int step = 0, weight = 1; step < r.king.steps; step++, weight *= k) {
    int group = v - v % (weight * k), own = v - v % weight;
    for (int i = 0; i < k; i++) {
      give[i] = piece(c, all, b, own, own + weight);
      take[i] = piece(c, all, b, group + i * weight, group + (i + 1) * weight);
    }
    coll_meet(c, r, v, weight, give, take);
  }
}

/* In the first step the parts are largest: k-1 of them come, each of a k-th of the numbers. */
size_t coll_meet_spare(coll_radix r, coll_number_blocks b) {
  size_t most = 0;
  int k = r.king.k, part = k > 1 ? r.king.power / k : 0;
  for (int i = 0; part && i < k; i++) {
    size_t n = b.span(b.how, i * part, (i + 1) * part).count;
    most = n > most ? n : most;
  }
  return (size_t)(k > 1 ? k - 1 : 0) * most;
}

void coll_meet_reduce_scatter(coll_ctx *c, coll_radix r, int v, void *sum, void *spare, coll_number_blocks b) {
  int k = r.king.k;
  if (k < 2) return;
  coll_piece *give = coll_keep(c, sizeof(coll_piece) * 2 * (size_t)k), *take = give + k;
  for (int weight = r.king.power / k; weight; weight /= k) {
    int group = v - v % (weight * k), digit = coll_radix_digit(r, v, weight);
    coll_piece own = piece(c, sum, b, group + digit * weight, group + (digit + 1) * weight);
    for (int i = 0; i < k; i++) {
      give[i] = piece(c, sum, b, group + i * weight, group + (i + 1) * weight);
      take[i] = (coll_piece){ coll_at(c, spare, (size_t)(i > digit ? i - 1 : i) * own.n), own.n };
    }
    coll_meet(c, r, v, weight, give, take);
    for (int i = 0; i < k; i++)
      if (i != digit && own.n) coll_reduce(c, take[i].at, own.at, own.n);
  }
}

/* ---- a reduce-scatter over all ranks ------------------------------------------------------------------ */

typedef struct {
  coll_radix radix;
  size_t n;
} ranks_blocks;

/* A number's blocks are its own and those of the ranks that it works for. */
static coll_span of_ranks(const void *how, int lo, int hi) {
  const ranks_blocks *b = how;
  return coll_blocks(b->n, b->radix.size, coll_radix_first(b->radix, lo), coll_radix_first(b->radix, hi));
}

void coll_meet_reduce_scatter_to(coll_ctx *c, const void *in, void *out, size_t n, int k) {
  ranks_blocks how = { coll_radix_make(c->size, k, COLL_RADIX_IN_ORDER), n };
  coll_number_blocks blocks = { of_ranks, &how };
  coll_radix r = how.radix;
  coll_span own = coll_block(n, c->size, c->rank);
  int v = coll_radix_virtual(r, c->rank), extras = v < 0 ? 0 : coll_radix_extras(r, v);
  size_t room = coll_meet_spare(r, blocks);
  if (extras && room < n) room = n;
  void *sum = v < 0 ? NULL : coll_scratch(c, n), *spare = v < 0 || !room ? NULL : coll_scratch(c, room);
  if (v >= 0) coll_copy(c, sum, in, n);
  coll_meet_fold(c, r, in, sum, spare, n);
  if (v < 0) {
    if (own.count) coll_recv(c, out, own.count, coll_radix_real(r, coll_radix_home(r, c->rank)));
    return;
  }
  coll_meet_reduce_scatter(c, r, v, sum, spare, blocks);
  coll_copy(c, out, coll_at(c, sum, own.first), own.count);
  for (int i = 0; i < extras; i++) {
    coll_span theirs = coll_block(n, c->size, coll_radix_extra(r, v, i));
    if (theirs.count) coll_send(c, coll_at(c, sum, theirs.first), theirs.count, coll_radix_extra(r, v, i));
  }
}

double coll_meet_reduce_scatter_cost(int p, int k, double n, double alpha, double beta, double gamma) {
  coll_radix r = coll_radix_make(p, k, COLL_RADIX_IN_ORDER);
  if (!(n > 0)) return 0;
  return r.king.steps * (r.king.k - 1) * alpha + (p - 1.0) / p * n * (beta + gamma) +
         coll_meet_extras(r) * (2 * alpha + n * (beta + gamma) + n / p * beta);
}

bool coll_meet_reduce_scatter_exact(int p, int k, size_t n) {
  return !n || (!coll_radix_make(p, k, COLL_RADIX_IN_ORDER).extra && n % (size_t)p == 0);
}
