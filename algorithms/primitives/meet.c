#include "primitives/meet.h"

void coll_meet(coll_ctx *c, coll_radix r, int v, int weight, const coll_piece *give, const coll_piece *take) {
  int k = r.king.k, own = coll_radix_digit(r, v, weight), n = 0;
  coll_req *req = coll_keep(c, sizeof(coll_req) * 2 * (size_t)k);
  for (int j = 1; j < k; j++) {
    const coll_piece *from = &take[(own + k - j) % k], *to = &give[(own + j) % k];
    req[n++] = coll_irecv(c, from->at, from->n, coll_radix_partner(r, v, weight, -j));
    req[n++] = coll_isend(c, to->at, to->n, coll_radix_partner(r, v, weight, j));
  }
  coll_waitall(c, n, req);
}

/* In order the extras are lower ranks: the nearest is added first, on the left. */
int coll_meet_fold(coll_ctx *c, coll_radix r, const void *in, void *sum, void *spare, size_t n) {
  int home = coll_radix_home(r, c->rank), v = coll_radix_virtual(r, c->rank);
  if (v < 0) {
    coll_send(c, in, n, coll_radix_real(r, home));
    return v;
  }
  for (int i = coll_radix_extras(r, v); i-- > 0;) {
    coll_recv(c, spare, n, coll_radix_extra(r, v, i));
    coll_reduce(c, spare, sum, n);
  }
  return v;
}

void coll_meet_unfold(coll_ctx *c, coll_radix r, int v, void *all, size_t n) {
  if (v < 0) {
    coll_recv(c, all, n, coll_radix_real(r, coll_radix_home(r, c->rank)));
    return;
  }
  int extras = coll_radix_extras(r, v);
  coll_req *req = coll_keep(c, sizeof(coll_req) * ((size_t)extras + 1));
  for (int i = 0; i < extras; i++) req[i] = coll_isend(c, all, n, coll_radix_extra(r, v, i));
  coll_waitall(c, extras, req);
}

int coll_meet_extras(coll_radix r) {
  if (r.fold == COLL_RADIX_DEALT) return coll_radix_extras(r, 0);
  return r.extra < r.king.k - 1 ? r.extra : r.king.k - 1;
}

/* The vectors of a step lie in k places, at the partners' digits; their sum is that of the last place, and becomes this rank's vector
 * of the next step: places change their numbers, and no vector is ever copied. */
void coll_multiply_allreduce(coll_ctx *c, const coll_args *a, coll_radix_fold fold) {
  size_t n = a->count;
  if (!n) return;
  coll_radix r = coll_radix_make(c->size, (int)a->param[0], fold);
  int k = r.king.k;
  coll_piece *place = coll_keep(c, sizeof(coll_piece) * 2 * (size_t)k), *give = place + k;
  place[0] = (coll_piece){ a->out, n };
  for (int i = 1; i < k; i++) place[i] = (coll_piece){ coll_scratch(c, n), n };
  bool stays = coll_radix_virtual(r, c->rank) >= 0;
  if (stays) coll_copy(c, a->out, a->in, n);
  int v = coll_meet_fold(c, r, a->in, a->out, r.extra ? place[k - 1].at : NULL, n);
  int own = 0; /* where this rank's vector is */
  for (int step = 0, weight = 1; v >= 0 && step < r.king.steps; step++, weight *= k) {
    int digit = coll_radix_digit(r, v, weight);
    coll_piece mine = place[own];
    place[own] = place[digit];
    place[digit] = mine;
    for (int i = 0; i < k; i++) give[i] = mine;
    coll_meet(c, r, v, weight, give, place);
    for (int i = 1; i < k; i++) coll_reduce(c, place[i - 1].at, place[i].at, n);
    own = k - 1;
  }
  coll_meet_unfold(c, r, v, stays ? place[own].at : a->out, n);
  if (stays) coll_copy(c, a->out, place[own].at, n);
}

/* Extras and their way back take two messages and a sum for each. */
double coll_multiply_allreduce_cost(const coll_args *a, coll_radix_fold fold, double alpha, double beta, double gamma) {
  if (!a->count) return 0;
  coll_radix r = coll_radix_make(a->size, (int)a->param[0], fold);
  double n = (double)(a->count * a->elem);
  return r.king.steps * (r.king.k - 1) * (alpha + n * (beta + gamma)) +
         coll_meet_extras(r) * (2 * (alpha + n * beta) + n * gamma);
}

/* With k > 2 ranks without extras begin while their partners still listen to extras: the ports' order shifts. */
bool coll_multiply_exact(const coll_args *a) {
  coll_radix r = coll_radix_make(a->size, (int)a->param[0], COLL_RADIX_DEALT);
  return !a->count || !r.extra || r.king.k == 2;
}
