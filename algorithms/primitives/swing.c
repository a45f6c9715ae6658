#include "primitives/swing.h"

#include "patterns/bine.h"
#include "patterns/lg.h"
#include "primitives/odd.h"

typedef struct {
  coll_ctx *c;
  void *data, *packed, *inbox; /* scratch: n elements each */
  size_t n;
  int ring, low;
} swing;

static swing make(coll_ctx *c, void *data, size_t n, const coll_odd *o) {
  return o->v < o->ring ? (swing){ c, data, coll_scratch(c, n), coll_scratch(c, n), n, o->ring, coll_bine_low(o->ring) }
                        : (swing){ .c = c };
}

/* In the allgather, does the rank at place v pass block b on in step k? */
static bool passes_on(const swing *w, int v, int b, int k) {
  int away = b % 2 ? b - v : v - b;
  int at = coll_bine_integer(w->ring, w->low, away < 0 ? away + w->ring : away);
  unsigned last = (4u << k) - 1, digits = coll_bine_digits(at);
  if ((digits & last) != 0 && (digits & last) != last) return false; /* it comes to this rank in this step, or later */
  int to = coll_bine_number(digits ^ (last >> 1));
  return w->low <= to && to < w->low + w->ring;
}

/* Calls `each` for runs of the blocks that the rank at place v passes on in step k, with where they begin in a message. Returns the
 * message's elements. */
static size_t runs(const swing *w, int v, int k, void (*each)(const swing *, coll_span, size_t)) {
  size_t at = 0;
  for (int b = 0, end; b < w->ring; b = end) {
    end = b + 1;
    if (!passes_on(w, v, b, k)) continue;
    while (end < w->ring && passes_on(w, v, end, k)) end++;
    coll_span run = coll_odd_blocks(w->n, w->c->size, b, end);
    if (run.count && each) each(w, run, at);
    at += run.count;
  }
  return at;
}

static void pack(const swing *w, coll_span run, size_t at) {
  coll_copy(w->c, coll_at(w->c, w->packed, at), coll_at(w->c, w->data, run.first), run.count);
}

static void unpack(const swing *w, coll_span run, size_t at) {
  coll_copy(w->c, coll_at(w->c, w->data, run.first), coll_at(w->c, w->inbox, at), run.count);
}

static void add(const swing *w, coll_span run, size_t at) {
  coll_reduce(w->c, coll_at(w->c, w->inbox, at), coll_at(w->c, w->data, run.first), run.count);
}

/* Sends what `giver` passes on in step k and takes what `taker` does: one of them is this rank, the other its partner. */
static void step(const swing *w, int partner, int giver, int taker, int k,
                 void (*take)(const swing *, coll_span, size_t)) {
  size_t going = runs(w, giver, k, pack), coming = runs(w, taker, k, NULL);
  coll_req request[2] = { 0, 0 };
  if (coming) request[0] = coll_irecv(w->c, w->inbox, coming, partner);
  if (going) request[1] = coll_isend(w->c, w->packed, going, partner);
  coll_waitall(w->c, 2, request);
  runs(w, taker, k, take);
}

void coll_swing_allgather(coll_ctx *c, void *all, size_t n) {
  if (c->size < 2) return;
  coll_odd o = coll_odd_make(c, n, 0);
  swing w = make(c, all, n, &o);
  if (coll_odd_gives(c, &o, all)) return;
  for (int k = coll_lg_up(o.ring) - 1; k >= 0; k--) {
    int partner = coll_bine_partner(o.ring, o.v, k);
    step(&w, partner, o.v, partner, k, unpack);
  }
  coll_odd_gets_all(c, &o, all);
}

void coll_swing_reduce_scatter(coll_ctx *c, void *sum, size_t n) {
  if (c->size < 2) return;
  coll_odd o = coll_odd_make(c, n, 0);
  swing w = make(c, sum, n, &o);
  if (coll_odd_adds(c, &o, sum, w.inbox, n)) return;
  for (int k = 0; 1 << k < o.ring; k++) {
    int partner = coll_bine_partner(o.ring, o.v, k);
    step(&w, partner, partner, o.v, k, add);
  }
  coll_odd_gets_block(c, &o, sum);
}

double coll_swing_cost(int p, double n, double alpha, double beta, double gamma) {
  if (p < 2) return 0;
  int ring = p & ~1;
  return coll_odd_cost(p, n, alpha, beta, gamma) + coll_lg_up(ring) * alpha + (ring - 1.0) / ring * n * (beta + gamma);
}

bool coll_swing_exact(int p, size_t n) { return !n || (coll_is_power_of_two(p) && n % (size_t)p == 0); }

/* ---- allreduce -------------------------------------------------------------------------------------- */

enum { DIMS, PORTS, ALL = 1 };

int coll_swing_parts(const coll_args *a) { return a->param[PORTS] == ALL ? 2 * (int)a->param[DIMS] : 1; }

void coll_swing_allreduce(coll_ctx *c, const coll_args *a, coll_peers_what what) {
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_ODD);
  int dims = (int)a->param[DIMS], parts = coll_swing_parts(a), extent[COLL_TORUS] = { 1, 1, 1 };
  for (int i = 0; i < f.lg; i++) extent[i % dims] *= 2;
  coll_peers *peers = coll_keep(c, sizeof *peers * (size_t)parts);
  for (int i = 0; i < parts; i++)
    peers[i] = coll_peers_torus(extent, coll_fold_virtual(f, c->rank), i % dims, i >= dims);
  coll_peers_allreduce(c, a, f, peers, parts, what);
}
