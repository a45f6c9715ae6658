/* Max-min shares in a network of thousands of links, where one message more or less concerns few others.
 *
 * Every flow has a bottleneck: a full link on which nobody has more than it; that is what max-min shares are. When flows come and go, only those
 * are solved again whose bottleneck was touched, while all others keep their rate. Then who has lost his bottleneck by that is solved, too, and so
 * on until everybody has one. */
#include "model/sparse.h"

/* A link that can fill up, and the rate at which it does. */
typedef struct filling {
  double share;
  int32_t resource;
} filling;

/* Rates that are nearer than this are one. */
static const double SAME = 1e-12;

static void heap_push(fluid *u, filling one) {
  PUSH(u->heap, u->heap_n, u->heap_cap, one);
  size_t i = u->heap_n - 1;
  for (; i && u->heap[(i - 1) / 2].share > one.share; i = (i - 1) / 2) u->heap[i] = u->heap[(i - 1) / 2];
  u->heap[i] = one;
}

static filling heap_take(fluid *u) {
  filling first = u->heap[0], last = u->heap[--u->heap_n];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < u->heap_n; i = child) {
    if (child + 1 < u->heap_n && u->heap[child + 1].share < u->heap[child].share) child++;
    if (u->heap[child].share >= last.share) break;
    u->heap[i] = u->heap[child];
  }
  u->heap[i] = last;
  return first;
}

static inline bool is_solved(const fluid *u, const flow *f) { return f->stamp == u->stamp; }

/* From now on this flow is solved again, and with it what is left of the links that it crosses. */
static void solve_too(fluid *u, int32_t index) {
  flow *f = flow_at(u, (size_t)index);
  if (is_solved(u, f)) return;
  f->stamp = u->stamp;
  PUSH(u->solved, u->solved_n, u->solved_cap, index);
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    resource *r = &u->resource[c->resource];
    if (r->stamp == u->stamp || is_loose(u, c->resource)) continue;
    r->stamp = u->stamp;
    PUSH(u->reached, u->reached_n, u->reached_cap, c->resource);
  }
}

/* What flows that keep their rate leave of a link, and how much of it the others take up at a rate of 1. */
static void open_link(fluid *u, resource *r) {
  double kept = 0;
  r->open = 0;
  r->demand = 0;
  for (int32_t at = r->head; at != NONE; at = crossing_at(u, at)->next) {
    const crossing *c = crossing_at(u, at);
    const flow *f = flow_at(u, (size_t)c->flow);
    if (is_solved(u, f)) {
      r->open++;
      r->demand += c->weight;
    } else kept += c->weight * f->rate;
  }
  r->left = fmax(0, 1 - kept);
}

/* The least limit of flows that have no share yet. */
static double least_limit(const fluid *u) {
  double least = DBL_MAX;
  for (size_t i = 0; i < u->solved_n; i++) {
    const flow *f = flow_at(u, (size_t)u->solved[i]);
    if (!f->fixed) least = fmin(least, f->most);
  }
  return least;
}

/* Raises all rates together; who crosses the link that fills up first stays there, and so on. What a link still has for each grows while
 * others fill up, so the one that is next is asked again when its turn comes. */
static void fill_up(fluid *u) {
  u->heap_n = u->mixed_n = 0;
  for (size_t i = 0; i < u->reached_n; i++) {
    resource *r = &u->resource[u->reached[i]];
    open_link(u, r);
    if (r->open < r->flows) PUSH(u->mixed, u->mixed_n, u->mixed_cap, u->reached[i]);
    heap_push(u, (filling){ r->left / r->demand, u->reached[i] });
  }
  for (size_t i = 0; i < u->solved_n; i++) flow_at(u, (size_t)u->solved[i])->fixed = false;
  double level = 0, limit = least_limit(u);
  while (u->heap_n) {
    filling next = heap_take(u);
    resource *r = &u->resource[next.resource];
    if (!r->open) continue;
    double share = r->left / r->demand;
    if (u->heap_n && share > u->heap[0].share) {
      heap_push(u, (filling){ share, next.resource });
      continue;
    }
    if (share > limit) {
      for (size_t i = 0; i < u->solved_n; i++) {
        flow *f = flow_at(u, (size_t)u->solved[i]);
        if (f->fixed || f->most > limit) continue;
        flow_fix(u, f, f->most);
        f->bottleneck = NONE;
      }
      limit = least_limit(u);
      heap_push(u, (filling){ r->open ? r->left / r->demand : 0, next.resource });
      continue;
    }
    level = fmax(level, share); /* rounding; levels rise */
    for (int32_t at = r->head; at != NONE; at = crossing_at(u, at)->next) {
      flow *f = flow_at(u, (size_t)crossing_at(u, at)->flow);
      if (!is_solved(u, f) || f->fixed) continue;
      flow_fix(u, f, level);
      f->bottleneck = next.resource;
    }
  }
  for (size_t i = 0; i < u->solved_n; i++) { /* who crosses no link that can fill up has its own limit alone */
    flow *f = flow_at(u, (size_t)u->solved[i]);
    if (f->fixed) continue;
    flow_fix(u, f, flow_rate_alone(f));
    f->bottleneck = NONE;
  }
}

static inline double rate_of(const fluid *u, const flow *f) { return is_solved(u, f) ? f->share : f->rate; }

/* Who crosses this link and has no bottleneck any more, or more than one that has it as its bottleneck, is solved, too. */
static void check_bottlenecks(fluid *u, int32_t link) {
  const resource *r = &u->resource[link];
  double used = 0, most = 0, least_stuck = DBL_MAX;
  for (int32_t at = r->head; at != NONE; at = crossing_at(u, at)->next) {
    const crossing *c = crossing_at(u, at);
    const flow *f = flow_at(u, (size_t)c->flow);
    double rate = rate_of(u, f);
    used += c->weight * rate;
    most = fmax(most, rate);
    if (f->bottleneck == link && is_solved(u, f)) least_stuck = fmin(least_stuck, rate);
  }
  bool full = used >= 1 - SAME;
  for (int32_t at = r->head; at != NONE; at = crossing_at(u, at)->next) {
    int32_t index = crossing_at(u, at)->flow;
    const flow *f = flow_at(u, (size_t)index);
    if (is_solved(u, f)) continue;
    bool lost = f->bottleneck == link && (!full || f->rate < most * (1 - SAME));
    if (lost || f->rate > least_stuck * (1 + SAME)) solve_too(u, index);
  }
}

void sparse_solve(fluid *u) {
  u->reached_n = u->solved_n = 0;
  for (size_t d = 0; d < u->dirty_n; d++) {
    int32_t link = u->dirty[d];
    for (int32_t at = u->resource[link].head; at != NONE; at = crossing_at(u, at)->next) {
      int32_t index = crossing_at(u, at)->flow;
      const flow *f = flow_at(u, (size_t)index);
      if (f->bottleneck == link || f->rate == 0) solve_too(u, index);
    }
  }
  for (size_t before = 0; before < u->solved_n;) {
    before = u->solved_n;
    fill_up(u);
    for (size_t i = 0; i < u->mixed_n; i++) check_bottlenecks(u, u->mixed[i]);
  }
}
