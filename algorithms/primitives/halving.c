#include "primitives/halving.h"

static void block_windows(coll_fold f, int v, size_t n, coll_window *window) {
  for (int i = 0, first = 0, half = f.power / 2; i < f.lg; i++, half /= 2) {
    coll_span low = coll_blocks(n, f.power, first, first + half);
    coll_span high = coll_blocks(n, f.power, first + half, first + 2 * half);
    bool up = v >> i & 1;
    window[i] = up ? (coll_window){ .keep = high, .give = low } : (coll_window){ .keep = low, .give = high };
    first += up ? half : 0;
  }
}

void coll_halving_windows(coll_fold f, coll_halving way, int v, size_t n, coll_window *window) {
  if (way == COLL_HALVING_WHOLE) {
    block_windows(f, v, n, window);
    return;
  }
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

/* The one who stays gets the other's whole vector. */
static void fold_whole(coll_ctx *c, coll_fold f, void *sum, void *spare, size_t n) {
  if (coll_fold_virtual(f, c->rank) < 0) {
    coll_send(c, sum, n, c->rank ^ 1);
    return;
  }
  coll_recv(c, spare, n, c->rank ^ 1);
  coll_reduce(c, spare, sum, n);
}

int coll_halving_reduce(coll_ctx *c, coll_fold f, coll_halving way, void *sum, void *spare, size_t n,
                        coll_window *window) {
  if (c->rank < 2 * f.extra) {
    if (way == COLL_HALVING_WHOLE) fold_whole(c, f, sum, spare, n);
    else fold(c, sum, spare, n);
  }
  int v = coll_fold_virtual(f, c->rank);
  if (v < 0) return v;
  coll_halving_windows(f, way, v, n, window);
  for (int i = 0; i < f.lg; i++) {
    coll_span keep = window[i].keep, give = window[i].give;
    int partner = coll_fold_real(f, v ^ 1 << i);
    coll_sendrecv(c, coll_at(c, sum, give.first), give.count, partner, coll_at(c, spare, keep.first), keep.count,
                  partner);
    coll_reduce(c, coll_at(c, spare, keep.first), coll_at(c, sum, keep.first), keep.count);
  }
  return v;
}

double coll_halving_cost(int p, coll_halving way, double n, double alpha, double beta, double gamma) {
  coll_fold f = coll_fold_make(p, COLL_FOLD_EVEN);
  double pairs = way == COLL_HALVING_WHOLE ? alpha + n * (beta + gamma) : 2 * alpha + n * beta + n / 2 * gamma;
  return (f.extra ? pairs : 0) + f.lg * alpha + (f.power - 1.0) / f.power * n * (beta + gamma);
}

bool coll_halving_exact(const coll_args *a) {
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_EVEN);
  return !a->count || (f.extra == 0 && a->count % (size_t)f.power == 0);
}

void coll_halving_allreduce(coll_ctx *c, const coll_args *a, coll_fold_stays stays, coll_halving way) {
  size_t n = a->count;
  coll_copy(c, a->out, a->in, n);
  if (c->size < 2 || !n) return;
  coll_fold f = coll_fold_make(c->size, stays);
  coll_window *window = coll_keep(c, sizeof(coll_window) * (size_t)f.lg);
  int v = coll_halving_reduce(c, f, way, a->out, coll_scratch(c, n), n, window);
  for (int i = f.lg - 1; v >= 0 && i >= 0; i--) {
    int partner = coll_fold_real(f, v ^ 1 << i);
    coll_span have = window[i].keep, lack = window[i].give;
    coll_sendrecv(c, coll_at(c, a->out, have.first), have.count, partner, coll_at(c, a->out, lack.first), lack.count,
                  partner);
  }
  if (c->rank >= 2 * f.extra) return;
  if (v < 0) coll_recv(c, a->out, n, c->rank ^ 1);
  else coll_send(c, a->out, n, c->rank ^ 1);
}

double coll_halving_allreduce_cost(const coll_args *a, coll_halving way, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_EVEN);
  double n = (double)(a->count * a->elem);
  return coll_halving_cost(a->size, way, n, alpha, beta, gamma) + f.lg * alpha + (f.power - 1.0) / f.power * n * beta +
         (f.extra ? alpha + n * beta : 0);
}

/* The rank whose place in the gather is virtual rank v. */
static int holder(coll_fold f, int v, int root, bool replaces) {
  return v == 0 && replaces ? root : coll_fold_real(f, v);
}

void coll_halving_gather_reduce(coll_ctx *c, const coll_args *a, coll_halving way) {
  if (!a->count) return;
  bool root = c->rank == a->root;
  void *sum = root ? a->out : coll_scratch(c, a->count);
  coll_copy(c, sum, a->in, a->count);
  if (c->size < 2) return;

  coll_fold f = coll_fold_make(c->size, COLL_FOLD_EVEN);
  coll_window *window = coll_keep(c, sizeof(coll_window) * (size_t)f.lg);
  int v = coll_halving_reduce(c, f, way, sum, coll_scratch(c, a->count), a->count, window);

  int vroot = coll_fold_virtual(f, a->root);
  bool replaces = vroot < 0;
  if (replaces) { /* rank 0 gives its part to the root, which gathers in its stead */
    vroot = 0;
    if (root) {
      v = 0;
      coll_halving_windows(f, way, v, a->count, window);
      coll_recv(c, sum, window[f.lg - 1].keep.count, 0);
    } else if (v == 0) {
      coll_send(c, sum, window[f.lg - 1].keep.count, a->root);
      v = -1;
    }
  }
  for (int i = f.lg - 1; v >= 0 && i >= 0; i--) {
    int partner = v ^ 1 << i, to = holder(f, partner, a->root, replaces);
    coll_span keep = window[i].keep, give = window[i].give;
    if (partner >> i == vroot >> i) { /* the partner is nearer to the root */
      coll_send(c, coll_at(c, sum, keep.first), keep.count, to);
      return;
    }
    coll_recv(c, coll_at(c, sum, give.first), give.count, to);
  }
}

double coll_halving_gather_reduce_cost(const coll_args *a, coll_halving way, double alpha, double beta, double gamma) {
  if (a->size < 2 || !a->count) return 0;
  coll_fold f = coll_fold_make(a->size, COLL_FOLD_EVEN);
  double n = (double)(a->count * a->elem), moved = coll_fold_virtual(f, a->root) < 0 ? alpha + n / f.power * beta : 0;
  return coll_halving_cost(a->size, way, n, alpha, beta, gamma) + moved + f.lg * alpha +
         (f.power - 1.0) / f.power * n * beta;
}
