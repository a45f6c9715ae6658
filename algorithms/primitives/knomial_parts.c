#include "primitives/knomial_parts.h"

coll_knomial_parts coll_knomial_parts_here(coll_ctx *c, const coll_args *a) {
  int p = c->size, *member = coll_keep(c, sizeof(int) * (size_t)p);
  for (int i = 0; i < p; i++) member[i] = (a->root + i) % p;
  coll_knomial_parts s = { .radix = coll_radix_make(p, (int)a->param[0], COLL_RADIX_DEALT), .n = a->count };
  coll_sub(c, 1, member, p, &s.from_root);
  int k = s.radix.king.k, power = s.radix.king.power;
  s.v = coll_radix_virtual(s.radix, s.from_root.rank);
  s.tree.child = coll_keep(c, sizeof(int) * (size_t)coll_tree_fanout(COLL_TREE_KNOMIAL, k, power));
  if (s.v >= 0) coll_tree_make(&s.tree, COLL_TREE_KNOMIAL, k, power, 0, s.v);
  return s;
}

static coll_span of_numbers(const void *how, int lo, int hi) {
  const coll_knomial_parts *s = how;
  return coll_blocks(s->n, s->radix.king.power, lo, hi);
}

coll_number_blocks coll_knomial_blocks(const coll_knomial_parts *s) { return (coll_number_blocks){ of_numbers, s }; }

static coll_span below(const coll_knomial_parts *s, int v) {
  return of_numbers(s, v, v + coll_tree_knomial_span(s->radix.king.k, v, s->radix.king.power));
}

void coll_knomial_parts_scatter(coll_knomial_parts *s, void *all) {
  coll_ctx *c = &s->from_root;
  if (s->v < 0) return;
  coll_span own = below(s, s->v);
  if (s->tree.parent >= 0 && own.count) coll_recv(c, coll_at(c, all, own.first), own.count, s->tree.parent);
  coll_req *sent = coll_keep(c, sizeof(coll_req) * ((size_t)s->tree.children + 1));
  int n = 0;
  for (int i = 0; i < s->tree.children; i++) {
    coll_span part = below(s, s->tree.child[i]);
    if (part.count) sent[n++] = coll_isend(c, coll_at(c, all, part.first), part.count, s->tree.child[i]);
  }
  coll_waitall(c, n, sent);
}

void coll_knomial_parts_gather(coll_knomial_parts *s, void *all) {
  coll_ctx *c = &s->from_root;
  if (s->v < 0) return;
  coll_req *coming = coll_keep(c, sizeof(coll_req) * ((size_t)s->tree.children + 1));
  int n = 0;
  for (int i = s->tree.children - 1; i >= 0; i--) { /* the nearest child has least to wait for */
    coll_span part = below(s, s->tree.child[i]);
    if (part.count) coming[n++] = coll_irecv(c, coll_at(c, all, part.first), part.count, s->tree.child[i]);
  }
  coll_waitall(c, n, coming);
  coll_span own = below(s, s->v);
  if (s->tree.parent >= 0 && own.count) coll_send(c, coll_at(c, all, own.first), own.count, s->tree.parent);
}

double coll_knomial_parts_cost(const coll_args *a, double alpha, double beta, double gamma) {
  coll_king king = coll_king_make(a->size, (int)a->param[0]);
  double n = (double)(a->count * a->elem), power = king.power;
  return a->count ? 2 * king.steps * (king.k - 1) * alpha + (power - 1) / power * n * (2 * beta + gamma) : 0;
}

bool coll_knomial_parts_exact(const coll_args *a) {
  coll_king king = coll_king_make(a->size, (int)a->param[0]);
  return !a->count || (king.power == a->size && a->count % (size_t)a->size == 0);
}
