#include "halving.h"

void coll_halving_windows(coll_fold f, int v, size_t n, coll_window *window) {
  coll_span now = { 0, n };
  for (int i = 0; i < f.lg; i++) {
    coll_span low = { now.first, now.count / 2 };
    coll_span high = { now.first + low.count, now.count - low.count };
    window[i] = v >> i & 1 ? (coll_window){ .keep = high, .give = low } : (coll_window){ .keep = low, .give = high };
    now = window[i].keep;
  }
}

/* Both partners reduce one half; then the odd one hands its half over and is done. */
static void fold(coll_ctx *c, void *sum, void *spare, size_t n) {
  coll_span low = { 0, n / 2 }, high = { n / 2, n - n / 2 };
  bool odd = c->rank % 2;
  int partner = odd ? c->rank - 1 : c->rank + 1;
  coll_span mine = odd ? high : low, other = odd ? low : high;
  coll_sendrecv(c, coll_at(c, sum, other.first), other.count, partner, coll_at(c, spare, mine.first), mine.count,
                partner);
  coll_reduce(c, coll_at(c, spare, mine.first), coll_at(c, sum, mine.first), mine.count);
  if (odd) coll_send(c, coll_at(c, sum, high.first), high.count, partner);
  else coll_recv(c, coll_at(c, sum, high.first), high.count, partner);
}

int coll_halving_reduce(coll_ctx *c, coll_fold f, void *sum, void *spare, size_t n, coll_window *window) {
  if (c->rank < 2 * f.extra) fold(c, sum, spare, n);
  int v = coll_fold_virtual(f, c->rank);
  if (v < 0) return v;
  coll_halving_windows(f, v, n, window);
  for (int i = 0; i < f.lg; i++) {
    coll_span keep = window[i].keep, give = window[i].give;
    int partner = coll_fold_real(f, v ^ 1 << i);
    coll_sendrecv(c, coll_at(c, sum, give.first), give.count, partner, coll_at(c, spare, keep.first), keep.count,
                  partner);
    coll_reduce(c, coll_at(c, spare, keep.first), coll_at(c, sum, keep.first), keep.count);
  }
  return v;
}

double coll_halving_cost(int p, double n, double alpha, double beta, double gamma) {
  coll_fold f = coll_fold_make(p, COLL_FOLD_EVEN);
  double pairs = f.extra ? 2 * alpha + n * beta + n / 2 * gamma : 0;
  return pairs + f.lg * alpha + (f.power - 1.0) / f.power * n * (beta + gamma);
}
