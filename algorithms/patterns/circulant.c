#include "patterns/circulant.h"

#include "patterns/lg.h"

coll_circulant coll_circulant_make(int p) {
  coll_circulant g = { .p = p, .q = coll_lg_up(p) };
  g.skip[g.q] = p;
  for (int k = g.q; k-- > 0;) g.skip[k] = g.skip[k + 1] / 2 + g.skip[k + 1] % 2;
  return g;
}

int coll_circulant_base(const coll_circulant *g, int v) {
  int base = g->q;
  for (int k = g->q; v && k-- > 0;)
    if (v >= g->skip[k]) {
      v -= g->skip[k];
      base = k;
    }
  return base;
}

/* The search for what a rank receives. Sums of skips are tried in falling lexical order; the largest one in
 * (v - skip[k+1], v - skip[k]] names by its last skip the base block of the rank that the block of round k comes from.
 * Each base block is taken once: the skips that are left form a list. */
typedef struct {
  const coll_circulant *graph;
  int goal; /* v + p: so that no difference is negative */
  int lower[COLL_CIRCULANT_ROUNDS + 1],
      higher[COLL_CIRCULANT_ROUNDS + 1]; /* neighbours in the list; lower ends with -1 */
  int last;                              /* the sum that was taken last */
  int *receive;
} search;

static void take_off(search *s, int e) {
  int lower = s->lower[e], higher = s->higher[e];
  if (lower >= 0) s->higher[lower] = higher;
  if (higher <= s->graph->q) s->lower[higher] = lower;
}

/* From the sum `at`, of which e is the next skip to try, for rounds k and on. Returns the round that is left to do. */
static int look(search *s, int at, int e, int k) {
  const int *skip = s->graph->skip, q = s->graph->q;
  for (; e >= 0 && k < q; e = s->lower[e]) {
    int sum = at + skip[e];
    if (sum > s->goal - skip[k] || sum >= s->last) continue;
    if (sum <= s->goal - skip[k + 1]) k = look(s, sum, e, k);
    if (k == q || at > s->goal - skip[k + 1]) return k;
    s->last = sum;
    s->receive[k++] = e;
    take_off(s, e);
  }
  return k;
}

static void receives(const coll_circulant *g, int v, int base, int *receive) {
  search s = { .graph = g, .goal = v + g->p, .last = 2 * g->p, .receive = receive };
  for (int e = 0; e <= g->q; e++) {
    s.lower[e] = e - 1;
    s.higher[e] = e + 1;
  }
  take_off(&s, base);
  look(&s, 0, base == g->q ? s.lower[base] : g->q, 0);
  for (int k = 0; k < g->q; k++) receive[k] = receive[k] == g->q ? base : receive[k] - g->q;
}

/* What a rank sends follows from where it lies in ever smaller ranges 0 … end-1, but for at most four rounds, where it is looked
 * up: it is what the other end receives. */
static void sends(const coll_circulant *g, int v, int base, int *send) {
  if (!v) {
    for (int k = 0; k < g->q; k++) send[k] = k;
    return;
  }
  for (int k = g->q - 1, at = v, end = g->p, block = base; k > 0; k--) {
    int skip = g->skip[k];
    bool upper = at >= skip, plain = upper ? at > skip : at + skip < end;
    if (upper) block = k - g->q;
    if (plain) send[k] = block;
    else {
      int other = (v + skip) % g->p, found[COLL_CIRCULANT_ROUNDS];
      receives(g, other, coll_circulant_base(g, other), found);
      send[k] = found[k];
    }
    if (upper) {
      at -= skip;
      end -= skip;
    } else if (end > skip) {
      end = skip;
    }
  }
  send[0] = base - g->q;
}

coll_circulant_blocks coll_circulant_schedule(const coll_circulant *g, int v) {
  coll_circulant_blocks b = { .send = { 0 } };
  if (!g->q) return b;
  int base = coll_circulant_base(g, v);
  receives(g, v, base, b.receive);
  sends(g, v, base, b.send);
  return b;
}

/* The first round is such that the last one ends a time around; blocks past the last one are the last one. */
coll_circulant_step coll_circulant_step_of(const coll_circulant *g, const coll_circulant_blocks *b, int v, long blocks,
                                           long round) {
  long skipped = (g->q - (blocks - 1) % g->q) % g->q, i = round + skipped, higher = i / g->q * g->q - skipped;
  int k = (int)(i % g->q), skip = g->skip[k];
  coll_circulant_step s = { .to = (v + skip) % g->p,
                            .from = (v + g->p - skip) % g->p,
                            .send = b->send[k] + higher,
                            .receive = b->receive[k] + higher };
  if (s.send >= blocks) s.send = blocks - 1;
  if (s.receive >= blocks) s.receive = blocks - 1;
  if (s.send < 0 || !s.to) s.send = -1;
  if (s.receive < 0 || !v) s.receive = -1;
  return s;
}
