#include "model/dense.h"

#include "model/bundles.h"
#include "model/sparse.h"

/* Shares found before it pays, of a schedule of so many messages or of any; for each flow; messages of each rank. A run with less than that is over
 * in a few seconds. */
enum {
  FEW_SHARES = 1 << 22,
  MANY_MESSAGES = 1 << 19,
  MANY_SHARES = 1 << 25,
  TIMES = 32,
  RANK_MESSAGES = 64,
  CALM = 16
};
/* A ceiling above the rate when it is raised, and when it is lowered; how much of a link may be in use that is loose again. */
static const double RAISED = 1.5, LOWERED = 1.1, LOOSE_AGAIN = 0.5;

bool dense_pays(const fluid *u, const engine *e) {
  if (e->bundle_after) return e->shares >= e->bundle_after;
  size_t messages = e->wiring.messages;
  return e->shares >= (messages >= MANY_MESSAGES ? FEW_SHARES : MANY_SHARES) && e->shares / TIMES >= u->entered &&
         messages / RANK_MESSAGES >= (size_t)e->wiring.ranks;
}

static flow *flow_of(const fluid *u, const bundle *b) { return flow_at(u, (size_t)b->flow); }

static void set_ceiling(fluid *u, bundle *b, double ceiling) {
  double more = ceiling - b->ceiling;
  b->ceiling = ceiling;
  for (size_t i = 0; i < b->n; i++) bundles_load(u, b->member[i].flow, more);
}

/* From now on bundles mind this link. */
static void fill_link(fluid *u, int32_t link, double now) {
  bundles *w = u->bundles;
  w->link[link].full = true;
  stamp_next(u);
  for (int32_t at = w->link[link].head; at != NONE; at = crossing_at(u, at)->next)
    flow_at(u, (size_t)crossing_at(u, at)->flow)->stamp = u->stamp;
  for (int32_t at = w->link[link].head; at != NONE; at = crossing_at(u, at)->next) {
    const flow *f = flow_at(u, (size_t)crossing_at(u, at)->flow);
    if (f->bundle != NONE && f->stamp == u->stamp) bundles_split(u, f->bundle, now);
  }
}

/* Its flows' ceilings come down to what they need. */
static void lower_ceilings(fluid *u, int32_t link) {
  bundles *w = u->bundles;
  for (int32_t at = w->link[link].head; at != NONE; at = crossing_at(u, at)->next) {
    bundle *b = &w->bundle[flow_at(u, (size_t)crossing_at(u, at)->flow)->bundle];
    double rate = flow_of(u, b)->rate;
    if (rate > 0 && b->ceiling > LOWERED * rate) set_ceiling(u, b, LOWERED * rate);
  }
}

/* Looks at the links that may not be loose any more; false: they all are. */
static bool fill_links(fluid *u, double now) {
  bundles *w = u->bundles;
  bool any = false;
  for (size_t i = 0; i < w->over_n; i++) {
    int32_t link = w->over[i];
    w->link[link].over = false;
    if (w->link[link].full || w->link[link].load <= LOOSE) continue;
    lower_ceilings(u, link);
    if (w->link[link].load <= LOOSE) continue;
    fill_link(u, link, now);
    any = true;
  }
  w->over_n = 0;
  return any;
}

/* A full link that is far from being one is loose again, unless a bundle would have no other. */
static void loosen_link(fluid *u, int32_t link, double now) {
  bundles *w = u->bundles;
  double load = 0;
  for (int32_t at = u->resource[link].head; at != NONE; at = crossing_at(u, at)->next) {
    const flow *g = flow_at(u, (size_t)crossing_at(u, at)->flow);
    load += crossing_at(u, at)->weight * w->bundle[g->message].ceiling;
    if (g->bottleneck == link || g->crossed == 1 || load > LOOSE_AGAIN) return;
  }
  w->link[link].full = false;
  w->link[link].load = load;
  for (int32_t at; (at = u->resource[link].head) != NONE;) {
    int32_t id = flow_at(u, (size_t)crossing_at(u, at)->flow)->message, same = bundles_forget(u, id, link);
    if (same == NONE) continue;
    double rate = flow_of(u, &w->bundle[id])->rate, other = flow_of(u, &w->bundle[same])->rate;
    if (fabs(rate - other) > 1e-12 * rate) continue; /* one of them has not been solved since its flows came */
    if (w->bundle[id].n <= w->bundle[same].n) bundles_merge(u, id, same, now);
    else bundles_merge(u, same, id, now);
  }
}

/* Solved bundles go on at their new rate; ceilings are not below it. */
static void take_rates(fluid *u, engine *e) {
  e->shares += u->solved_n;
  for (size_t i = 0; i < u->solved_n; i++) {
    flow *g = flow_at(u, (size_t)u->solved[i]);
    bundle *b = &u->bundles->bundle[g->message];
    if (g->share == g->rate) continue;
    bundles_advance(u, b, e->now);
    g->rate = g->share;
    bundles_touch(u->bundles, g->message);
    if (g->rate > b->ceiling) set_ceiling(u, b, RAISED * g->rate);
  }
}

void dense_share(fluid *u, engine *e) {
  bundles *w = u->bundles;
  bundles_sweep(u);
  if (!u->dirty_n && !w->touched_n) return;
  do {
    bundles_sweep(u);
    stamp_next(u);
    sparse_solve(u);
    clear_dirty(u);
    take_rates(u, e);
  } while (fill_links(u, e->now));
  if (++w->calm % CALM == 0)
    for (size_t i = 0; i < u->reached_n; i++)
      if (w->link[u->reached[i]].full) loosen_link(u, u->reached[i], e->now);
  bundles_sweep(u);
  for (size_t i = 0; i < w->touched_n; i++) {
    bundle *b = &w->bundle[w->touched[i]];
    flow *g = flow_of(u, b);
    b->touched = b->split = false;
    bundles_advance(u, b, e->now);
    if (g->at >= 0) event_queue_leave(&u->queue, g->moment);
    flow_happens_at(u, b->flow, e->now + fmax(0, b->member->end - b->through) / g->rate);
  }
  w->touched_n = 0;
}

void dense_enter(fluid *u, const engine *e, int32_t index) {
  bundles *w = u->bundles;
  flow *f = flow_at(u, (size_t)index);
  const crossing *narrowest = f->crossing;
  bool full = false;
  for (crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    bundle_link *l = &w->link[c->resource];
    c->flow = index;
    crossing_link(u, c, &l->head);
    l->flows++;
    full |= l->full;
    if (c->weight > narrowest->weight) narrowest = c;
  }
  double left = f->left;
  f->order = u->order++;
  f->bundle = NONE;
  if (!full) fill_link(u, narrowest->resource, e->now);
  int32_t id = bundles_join(u, index, left, e->now, 0);
  bundles_load(u, index, w->bundle[id].ceiling);
}

void dense_leave(fluid *u, int32_t index) {
  bundles *w = u->bundles;
  const flow *f = flow_at(u, (size_t)index);
  const bundle *b = &w->bundle[f->bundle];
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    bundle_link *l = &w->link[c->resource];
    crossing_unlink(u, c, &l->head);
    l->flows--;
    if (l->full) mark_dirty(u, c->resource);
    else l->load = l->flows ? l->load - c->weight * b->ceiling : 0;
  }
  bundles_weigh(u, b, f);
  bundles_touch(w, f->bundle);
}

int32_t dense_over(fluid *u, const engine *e, int32_t index, bool first) {
  const flow *g = flow_at(u, (size_t)index);
  bundle *b = &u->bundles->bundle[g->message];
  if (first) bundles_advance(u, b, e->now);
  bool due = first && !b->split;
  return bundles_next(u, g->message, due ? INFINITY : b->through + g->rate * tolerance(e->now));
}

void dense_begin(fluid *u, engine *e) {
  if (!u->bundles) u->bundles = memset(array_grow(NULL, sizeof *u->bundles), 0, sizeof *u->bundles);
  bundles_clear(u->bundles, u->paths.resources);
  u->bundled = true;
  u->solved_n = 0;
  for (int32_t link = 0; link < u->paths.resources; link++) {
    for (int32_t at = u->resource[link].head; at != NONE; at = crossing_at(u, at)->next)
      if (crossing_at(u, at) == flow_at(u, (size_t)crossing_at(u, at)->flow)->crossing)
        PUSH(u->solved, u->solved_n, u->solved_cap, crossing_at(u, at)->flow);
    u->resource[link].head = NONE;
    u->resource[link].flows = 0;
  }
  for (size_t i = 0; i < u->solved_n; i++) {
    flow *f = flow_at(u, (size_t)u->solved[i]);
    f->left = fmax(0, f->left - f->rate * (e->now - f->since));
    if (f->at >= 0) event_queue_leave(&u->queue, f->moment);
    f->at = -1;
    dense_enter(u, e, u->solved[i]);
  }
  dense_share(u, e);
}
