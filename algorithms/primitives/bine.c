#include "primitives/bine.h"

#include "patterns/lg.h"
#include "primitives/odd.h"

coll_bine_tree coll_bine_here(const coll_ctx *c, int root) {
  int p = c->size, low = coll_bine_low(p), v = coll_bine_integer(p, low, (c->rank - root + p) % p);
  return (coll_bine_tree){ p, root, low, v, coll_bine_place(p, low, v) };
}

coll_span coll_bine_held(const coll_bine_tree *t, size_t n, int lo, int hi) {
  return coll_blocks(n, t->p, lo - t->low, hi - t->low);
}

/* Where the blocks of a child begin in hold, and how many elements they have. */
static coll_span of_child(const coll_bine_tree *t, size_t n, int child) {
  coll_bine_node node = coll_bine_place(t->p, t->low, child);
  coll_span s = coll_bine_held(t, n, node.lo, node.hi);
  s.first -= coll_bine_held(t, n, t->node.lo, t->node.hi).first;
  return s;
}

void coll_bine_scatter(coll_ctx *c, const coll_bine_tree *t, void *hold, size_t n) {
  size_t held = coll_bine_held(t, n, t->node.lo, t->node.hi).count;
  if (t->v && held) coll_recv(c, hold, held, coll_bine_rank(t, t->node.parent));
  for (int i = 0; i < t->node.children; i++) {
    coll_span part = of_child(t, n, t->node.child[i]);
    if (part.count) coll_send(c, coll_at(c, hold, part.first), part.count, coll_bine_rank(t, t->node.child[i]));
  }
}

void coll_bine_gather(coll_ctx *c, const coll_bine_tree *t, void *hold, size_t n) {
  size_t held = coll_bine_held(t, n, t->node.lo, t->node.hi).count;
  for (int i = t->node.children - 1; i >= 0; i--) {
    coll_span part = of_child(t, n, t->node.child[i]);
    if (part.count) coll_recv(c, coll_at(c, hold, part.first), part.count, coll_bine_rank(t, t->node.child[i]));
  }
  if (t->v && held) coll_send(c, hold, held, coll_bine_rank(t, t->node.parent));
}

/* ---- butterflies ------------------------------------------------------------------------------------ */

typedef struct {
  coll_ctx *c;
  void *data;
  size_t n;
  int first;
  coll_odd odd;
} butterfly;

/* At most two pieces of a range of places that may go over the end of the ring; each as elements. */
typedef struct {
  int n;
  coll_span piece[2];
} pieces;

static void add_piece(const butterfly *b, pieces *s, int lo, int hi) {
  coll_span part = coll_odd_blocks(b->n, b->c->size, lo, hi);
  if (part.count) s->piece[s->n++] = part;
}

static pieces range_of(const butterfly *b, int from, int places) {
  pieces s = { .n = 0 };
  int ring = b->odd.ring, lo = (from % ring + ring) % ring, hi = lo + places;
  add_piece(b, &s, lo, hi < ring ? hi : ring);
  if (hi > ring) add_piece(b, &s, 0, hi - ring);
  return s;
}

/* Step k of the allgather: with whom, what the partner lacks, what this rank lacks. Its range begins below it: it has grown downwards in
 * the steps whose parity is not its own. In the last step of a ring that is no power of two less is lacking. */
typedef struct {
  int partner;
  pieces have, lack;
} meeting;

static meeting meet(const butterfly *b, int k) {
  int ring = b->odd.ring, v = b->odd.v, have = 1 << k, lack = have < ring - have ? have : ring - have, start = v;
  for (int i = 0; i < k; i++) start -= i % 2 != v % 2 ? 1 << i : 0;
  bool up = k % 2 == v % 2;
  return (meeting){ .partner = (b->first + coll_bine_partner(ring, v, k)) % b->c->size,
                    .have = range_of(b, up ? start + have - lack : start, lack),
                    .lack = range_of(b, up ? start + have : start - lack, lack) };
}

/* Sends some pieces of the data and receives others, into `inbox` at their places. */
static void exchange(const butterfly *b, int partner, const pieces *send, const pieces *recv, void *inbox) {
  coll_ctx *c = b->c;
  coll_req request[4];
  int n = 0;
  for (int i = 0; i < recv->n; i++)
    request[n++] = coll_irecv(c, coll_at(c, inbox, recv->piece[i].first), recv->piece[i].count, partner);
  for (int i = 0; i < send->n; i++)
    request[n++] = coll_isend(c, coll_at(c, b->data, send->piece[i].first), send->piece[i].count, partner);
  coll_waitall(c, n, request);
}

void coll_bine_allgather(coll_ctx *c, void *all, size_t n, int first) {
  if (c->size < 2) return;
  butterfly b = { c, all, n, first, coll_odd_make(c, n, first) };
  if (coll_odd_gives(c, &b.odd, all)) return;
  for (int k = 0; 1 << k < b.odd.ring; k++) {
    meeting m = meet(&b, k);
    exchange(&b, m.partner, &m.have, &m.lack, all);
  }
  coll_odd_gets_all(c, &b.odd, all);
}

void coll_bine_reduce_scatter(coll_ctx *c, void *sum, size_t n, int first) {
  if (c->size < 2) return;
  butterfly b = { c, sum, n, first, coll_odd_make(c, n, first) };
  void *spare = b.odd.v < b.odd.ring ? coll_scratch(c, n) : NULL;
  if (coll_odd_adds(c, &b.odd, sum, spare, n)) return;
  for (int k = coll_lg_up(b.odd.ring) - 1; k >= 0; k--) {
    meeting m = meet(&b, k);
    exchange(&b, m.partner, &m.lack, &m.have, spare);
    for (int i = 0; i < m.have.n; i++) {
      coll_span s = m.have.piece[i];
      coll_reduce(c, coll_at(c, spare, s.first), coll_at(c, sum, s.first), s.count);
    }
  }
  coll_odd_gets_block(c, &b.odd, sum);
}

double coll_bine_cost(int p, double n, double alpha, double beta, double gamma) {
  if (p < 2) return 0;
  int ring = p & ~1, steps = coll_lg_up(ring), messages = steps + (steps > 2 ? steps - 2 : 0);
  return coll_odd_cost(p, n, alpha, beta, gamma) + messages * alpha + (ring - 1.0) / ring * n * (beta + gamma);
}

bool coll_bine_exact(int p, size_t n) { return !n || (coll_is_power_of_two(p) && n % (size_t)p == 0); }
