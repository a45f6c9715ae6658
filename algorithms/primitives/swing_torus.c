#include "primitives/swing_torus.h"

#include "patterns/lg.h"

const char *coll_swing_torus_supports(const coll_args *a) {
  const char *wrong = coll_torus_supports(a);
  if (wrong) return wrong;
  return coll_is_power_of_two(a->size) ? NULL
                                       : "needs a power of two of ranks; Swing on one dimension takes any number";
}

coll_torus_call coll_swing_torus_here(const coll_args *a, int rank, size_t n) {
  return coll_torus_here(a, rank, n, a->param[COLL_SWING_PORTS]);
}

static coll_peers peers_of(const coll_torus_call *t, int rank, int part) {
  int dims = t->torus.dims;
  return coll_peers_torus(t->torus.extent, rank, dims ? t->torus.dim[part % dims] : 0, part >= dims);
}

/* A part's blocks in the order of the numbers with which ranks end: halves of what is left lie side by side then. Block i of part q is
 * that of rank[q p + i], from element first[q (p + 1) + i] on. */
struct coll_swing_torus {
  coll_torus_call call;
  coll_peers *peers; /* whom this rank meets, for each part */
  int *rank;
  size_t *first;
};

/* A rank's share of a part, where the vector has it. */
static coll_span share(const coll_torus_call *t, int rank, int part) {
  coll_span block = coll_block(t->n, t->torus.p, rank), s = coll_block(block.count, t->parts, part);
  return (coll_span){ block.first + s.first, s.count };
}

coll_swing_torus *coll_swing_torus_prepare(coll_ctx *c, const coll_args *a, size_t n) {
  coll_swing_torus *s = coll_keep(c, sizeof *s);
  *s = (coll_swing_torus){ .call = coll_swing_torus_here(a, c->rank, n) };
  if (c->size < 2 || !n) return s;
  const coll_torus_call *t = &s->call;
  int p = t->torus.p;
  size_t all = (size_t)p * (size_t)t->parts, at = 0;
  s->peers = coll_keep(c, sizeof *s->peers * (size_t)t->parts);
  s->rank = coll_keep(c, sizeof *s->rank * all);
  s->first = coll_keep(c, sizeof *s->first * (all + (size_t)t->parts));
  for (int part = 0; part < t->parts; part++) {
    size_t *first = s->first + part * (p + 1);
    s->peers[part] = peers_of(t, t->rank, part);
    for (int r = 0; r < p; r++) s->rank[part * p + peers_of(t, r, part).block] = r;
    for (int i = 0; i < p; i++) {
      first[i] = at;
      at += share(t, s->rank[part * p + i], part).count;
    }
    first[p] = at;
  }
  return s;
}

static coll_round halving(const void *how, int part, int i) {
  const coll_swing_torus *s = how;
  const coll_peers *w = &s->peers[part];
  int half = s->call.torus.p >> (i + 1), keep = w->block & -half;
  return (coll_round){ w->peer[i], w->peer[i], keep ^ half, keep, half };
}

static coll_span place(const void *how, int part, int lo, int hi) {
  const coll_swing_torus *s = how;
  const size_t *first = s->first + part * (s->call.torus.p + 1);
  return (coll_span){ first[lo], first[hi] - first[lo] };
}

static coll_rounds rounds(const coll_swing_torus *s) {
  return (coll_rounds){ s->call.parts, coll_lg_up(s->call.torus.p), halving, place, s };
}

/* Blocks of the vector to their places in hold, or back. */
static void arrange(coll_ctx *c, const coll_swing_torus *s, void *vector, void *hold, bool back) {
  int p = s->call.torus.p;
  for (int part = 0; part < s->call.parts; part++)
    for (int i = 0; i < p; i++) {
      coll_span from = share(&s->call, s->rank[part * p + i], part);
      void *there = coll_at(c, vector, from.first), *here = coll_at(c, hold, place(s, part, i, i + 1).first);
      coll_copy(c, back ? there : here, back ? here : there, from.count);
    }
}

/* This rank's shares of all parts. */
static void own(coll_ctx *c, const coll_swing_torus *s, void *block, void *hold, bool back) {
  for (int part = 0; part < s->call.parts; part++) {
    coll_span from = share(&s->call, s->call.rank, part);
    void *there = coll_at(c, block, from.first - coll_block(s->call.n, s->call.torus.p, s->call.rank).first);
    void *here = coll_at(c, hold, place(s, part, s->peers[part].block, s->peers[part].block + 1).first);
    coll_copy(c, back ? there : here, back ? here : there, from.count);
  }
}

void coll_swing_torus_allgather(coll_ctx *c, const coll_swing_torus *s, void *all) {
  size_t n = s->call.n;
  if (c->size < 2 || !n) return;
  coll_rounds w = rounds(s);
  void *hold = coll_scratch(c, n);
  own(c, s, coll_at(c, all, coll_block(n, c->size, c->rank).first), hold, false);
  coll_rounds_allgather(c, &w, hold);
  arrange(c, s, all, hold, true);
}

void coll_swing_torus_reduce_scatter(coll_ctx *c, const coll_swing_torus *s, const void *in, void *out) {
  size_t n = s->call.n;
  if (!n) return;
  if (c->size < 2) {
    coll_copy(c, out, in, n);
    return;
  }
  coll_rounds w = rounds(s);
  void *hold = coll_scratch(c, n);
  arrange(c, s, (void *)in, hold, false);
  coll_rounds_reduce_scatter(c, &w, hold, coll_scratch(c, n));
  own(c, s, out, hold, true);
}

double coll_swing_torus_cost(const coll_torus_call *t, double n, double alpha, double beta, double gamma) {
  double p = t->torus.p;
  return n > 0 ? t->parts * coll_lg_up(t->torus.p) * alpha + (p - 1) / p * n * (beta + gamma) : 0;
}
