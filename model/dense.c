#include "model/dense.h"

#include "model/bundles.h"
#include "model/sparse.h"

/* Shares found before it pays, of a schedule of so many messages, in a network of links, where a share takes longer, and of any; for each flow;
 * messages of each rank. A run with less than that is over in a few seconds. */
enum {
  FEW_SHARES = 1 << 20,
  MANY_MESSAGES = 1 << 19,
  MANY_LINKED_SHARES = 1 << 22,
  MANY_SHARES = 1 << 25,
  TIMES = 16,
  RANK_MESSAGES = 64,
  CALM = 16
};
/* A ceiling above the rate when it is raised, and when it is lowered; how much of a link may be in use that is loose again. */
static const double RAISED = 1.5, LOWERED = 1.1, LOOSE_AGAIN = 0.5;
/* A flow minds the full links where it would get at most so many times what it gets at the worst of them; a bundle minds none any more
 * where others get so many times as much. */
static const double NEAR = 4, FAR = 16;
/* A link of which so much is left is full no more than by name. */
static const double SPARE = 0.25;

bool dense_pays(const fluid *u, const engine *e) {
  if (e->bundle_after) return e->shares >= e->bundle_after;
  size_t messages = e->wiring.messages;
  size_t least = messages >= MANY_MESSAGES ? FEW_SHARES : u->sparse ? MANY_LINKED_SHARES : MANY_SHARES;
  return e->shares >= least && e->shares / TIMES >= u->entered && messages / RANK_MESSAGES >= (size_t)e->wiring.ranks;
}

static flow *flow_of(const fluid *u, const bundle *b) { return flow_at(u, (size_t)b->flow); }

static void set_ceiling(fluid *u, bundle *b, double ceiling) {
  double more = ceiling - b->ceiling;
  b->ceiling = ceiling;
  for (size_t i = 0; i < b->n; i++) bundles_load(u, b->member[i].flow, more);
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
    bundles_pass(u, link, now);
    any = true;
  }
  w->over_n = 0;
  return any;
}

/* The bundle does not mind the link any more. If there is another now that minds the same links, they become one. */
static void forget_link(fluid *u, int32_t id, int32_t link, double now) {
  bundles *w = u->bundles;
  int32_t same = bundles_forget(u, id, link);
  if (same == NONE) return;
  double rate = flow_of(u, &w->bundle[id])->rate, other = flow_of(u, &w->bundle[same])->rate;
  if (fabs(rate - other) > 1e-12 * rate) return; /* one of them has not been solved since its flows came */
  if (w->bundle[id].n <= w->bundle[same].n) bundles_merge(u, id, same, now);
  else bundles_merge(u, same, id, now);
}

/* A full link that is far from being one is loose again, unless a bundle would mind no other. */
static bool loosen_link(fluid *u, int32_t link, double now) {
  bundles *w = u->bundles;
  double load = 0;
  for (int32_t at = u->resource[link].head; at != NONE; at = crossing_at(u, at)->next) {
    const crossing *c = crossing_at(u, at);
    const flow *g = flow_at(u, (size_t)c->flow);
    load += c->weight * w->bundle[g->message].ceiling;
    if ((c->minded && (g->bottleneck == link || g->crossed == 1)) || load > LOOSE_AGAIN) return false;
  }
  w->link[link].full = false;
  w->link[link].load = load;
  for (int32_t at; (at = u->resource[link].head) != NONE;) {
    const crossing *c = crossing_at(u, at);
    int32_t id = flow_at(u, (size_t)c->flow)->message;
    if (c->minded) forget_link(u, id, link, now);
    else passing_forget(u, &w->bundle[id].passes, link);
  }
  return true;
}

/* Bundles that get far less than others do here, and those of a link that is not full, mind it no more. */
static void forgive_link(fluid *u, int32_t link, double now) {
  bundles *w = u->bundles;
  w->stuck_n = 0; /* for now, those who are to forget it */
  for (int32_t at = u->resource[link].head; at != NONE; at = crossing_at(u, at)->next) {
    const crossing *c = crossing_at(u, at);
    const flow *g = flow_at(u, (size_t)c->flow);
    if (c->minded && g->bottleneck != link && g->crossed > 1 && FAR * g->rate < w->link[link].level)
      PUSH(w->stuck, w->stuck_n, w->stuck_cap, g->message);
  }
  for (size_t i = 0; i < w->stuck_n; i++)
    if (w->bundle[w->stuck[i]].n) forget_link(u, w->stuck[i], link, now);
  w->stuck_n = 0;
}

/* What those get who are stuck at each link. */
static void note_levels(fluid *u) {
  bundles *w = u->bundles;
  for (size_t i = 0; i < u->reached_n; i++)
    if (u->resource[u->reached[i]].left > SPARE) w->link[u->reached[i]].level = INFINITY;
  for (size_t i = 0; i < u->solved_n; i++) {
    const flow *g = flow_at(u, (size_t)u->solved[i]);
    for (const crossing *c = g->crossing; c < g->crossing + g->crossed; c++)
      if (g->bottleneck == c->resource ||
          (u->resource[c->resource].left < 1 - LOOSE && isinf(w->link[c->resource].level)))
        w->link[c->resource].level = g->share;
  }
}

static bool minds(const flow *g, int32_t link) {
  const crossing *c = g->crossing, *end = c + g->crossed;
  while (c < end && c->resource != link) c++;
  return c < end;
}

/* Solved bundles go on at their new rate. */
static void take_rates(fluid *u, engine *e) {
  bundles *w = u->bundles;
  e->shares += u->solved_n;
  for (size_t i = 0; i < u->solved_n; i++) {
    flow *g = flow_at(u, (size_t)u->solved[i]);
    if (g->bottleneck != NONE && !minds(g, g->bottleneck)) PUSH(w->stuck, w->stuck_n, w->stuck_cap, g->message);
    if (g->share == g->rate) continue;
    bundles_advance(u, &w->bundle[g->message], e->now);
    g->rate = g->share;
    bundles_touch(w, g->message);
  }
}

/* Who is stuck at a link that it passes minds it; false: nobody is. */
static bool mind_links(fluid *u, double now) {
  bundles *w = u->bundles;
  size_t n = w->stuck_n;
  for (size_t i = 0; i < n; i++) bundles_split(u, w->stuck[i], flow_of(u, &w->bundle[w->stuck[i]])->bottleneck, now);
  w->stuck_n = 0;
  return n;
}

/* Ceilings are not below rates. */
static void raise_ceilings(fluid *u) {
  bundles *w = u->bundles;
  for (size_t i = 0; i < w->touched_n; i++) {
    bundle *b = &w->bundle[w->touched[i]];
    double rate = flow_of(u, b)->rate;
    if (rate > b->ceiling) set_ceiling(u, b, RAISED * rate);
  }
}

void dense_share(fluid *u, engine *e) {
  bundles *w = u->bundles;
  bundles_sweep(u);
  if (!u->dirty_n && !w->touched_n) return;
  for (;;) {
    bundles_sweep(u);
    stamp_next(u);
    sparse_solve(u);
    take_rates(u, e);
    if (mind_links(u, e->now)) continue;
    raise_ceilings(u);
    if (!fill_links(u, e->now)) break;
  }
  note_levels(u);
  if (++w->calm % CALM == 0)
    for (size_t i = 0; i < u->reached_n; i++) {
      int32_t link = u->reached[i];
      if (w->link[link].full && !loosen_link(u, link, e->now)) forgive_link(u, link, e->now);
    }
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

/* Which of the full links that it crosses the flow minds: one at least. */
static void choose_minded(fluid *u, int32_t index, double now) {
  const bundles *w = u->bundles;
  flow *f = flow_at(u, (size_t)index);
  crossing *narrowest = NULL, *any = f->crossing;
  double least = INFINITY;
  for (crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    if (c->weight > any->weight) any = c;
    c->minded = false;
    if (!w->link[c->resource].full) continue;
    if (!narrowest || c->weight > narrowest->weight) narrowest = c;
    least = fmin(least, w->link[c->resource].level);
  }
  for (crossing *c = f->crossing; least < INFINITY && c < f->crossing + f->crossed; c++)
    c->minded = w->link[c->resource].full && w->link[c->resource].level <= NEAR * least;
  if (least < INFINITY) return;
  int k = (int)((narrowest ? narrowest : any) - f->crossing);
  if (!narrowest) bundles_pass(u, any->resource, now);
  flow_at(u, (size_t)index)->crossing[k].minded = true;
}

void dense_enter(fluid *u, const engine *e, int32_t index) {
  bundles *w = u->bundles;
  flow *f = flow_at(u, (size_t)index);
  for (crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    bundle_link *l = &w->link[c->resource];
    c->flow = (uint32_t)index;
    crossing_link(u, c, &l->head);
    l->flows++;
  }
  double left = f->left;
  f->order = u->order++;
  f->bundle = NONE;
  choose_minded(u, index, e->now);
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
  bundles_pass_out(u, f->bundle, index);
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    bundle_link *l = &w->link[c->resource];
    if (!l->flows && u->resource[c->resource].head == NONE) l->full = false, l->load = 0;
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
    if (f->bottleneck == NONE) continue;
    bundle_link *l = &u->bundles->link[f->bottleneck];
    l->full = true;
    l->level = f->rate;
  }
  for (size_t i = 0; i < u->solved_n; i++) dense_enter(u, e, u->solved[i]);
  dense_share(u, e);
}
