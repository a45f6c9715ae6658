/* Max-min shares in a network of thousands of links, where one message more or less concerns few others.
 *
 * Every flow has a bottleneck: a full link on which nobody has more than it; that is what max-min shares are. When flows come and go, only those
 * are solved again whose bottleneck was touched, while all others keep their rate. Then who has lost his bottleneck by that is solved, too, and so
 * on until everybody has one.
 *
 * Flows lie far apart in memory, and their links, too. So what is needed of those that are solved is copied together first, once for each. */
#include "model/sparse.h"

#include <stdlib.h>

#include "model/bundles.h"

/* A link that can fill up, and the rate at which it does. */
typedef struct {
  double share;
  int32_t link;
} filling;

/* A link of solved flows: how much of it these take up at a rate of 1, how much others keep of it; then what is left of both while it fills. */
typedef struct {
  double left, demand, total, kept;
  int32_t open, flows, resource;
  uint32_t parts, first; /* of solved flows, and the first among `crossing` */
  uint32_t users, first_user;
  bool known, listed; /* `kept` is; its users are */
} solved_link;

/* What a solved flow takes up of a link. */
typedef struct {
  double weight;
  int32_t link, flow;
} part;

/* What any flow takes up of a link of which others than solved ones have a part. */
typedef struct {
  double weight;
  int32_t flow;
} user;

typedef struct {
  double most, share;
  size_t first; /* its parts, up to those of the next one */
  int32_t bottleneck;
  bool fixed;
} solved_flow;

typedef struct sparse_work {
  solved_link *link; /* as u->reached */
  size_t link_cap;
  part *part;
  size_t parts, part_cap;
  int32_t *crossing; /* the parts' flows, link by link; of each the last one first */
  size_t crossing_cap;
  user *user;
  size_t users, user_cap;
  solved_flow *flow; /* as u->solved, and one more for the end */
  size_t flows, flow_cap;
  int32_t *mixed;            /* by their numbers among `link` */
  size_t mixed_n, mixed_cap; /* links of solved flows and of others */
  filling *heap;
  size_t heap_n, heap_cap;
  bool limits;
} sparse_work;

enum { MAX_STEPS = 64 }; /* of a list that is fetched */
/* Rates that are nearer than this are one. */
static const double SAME = 1e-12;

static void heap_push(sparse_work *w, filling one) {
  PUSH(w->heap, w->heap_n, w->heap_cap, one);
  size_t i = w->heap_n - 1;
  for (; i && w->heap[(i - 1) / 2].share > one.share; i = (i - 1) / 2) w->heap[i] = w->heap[(i - 1) / 2];
  w->heap[i] = one;
}

static filling heap_take(sparse_work *w) {
  filling first = w->heap[0], last = w->heap[--w->heap_n];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < w->heap_n; i = child) {
    if (child + 1 < w->heap_n && w->heap[child + 1].share < w->heap[child].share) child++;
    if (w->heap[child].share >= last.share) break;
    w->heap[i] = w->heap[child];
  }
  w->heap[i] = last;
  return first;
}

/* ---- which flows are solved --------------------------------------------------------------------------- */

static inline bool is_solved(const fluid *u, const flow *f) { return f->stamp == u->stamp; }

/* From now on this flow is solved again. */
static inline void solve_too(fluid *u, int32_t index) {
  flow *f = flow_at(u, (size_t)index);
  if (is_solved(u, f)) return;
  f->stamp = u->stamp;
  PUSH(u->solved, u->solved_n, u->solved_cap, index);
}

static void copy_part(fluid *u, sparse_work *w, int32_t link, double weight) {
  resource *r = &u->resource[link];
  if (r->stamp != u->stamp) {
    if (is_loose(u, link)) return;
    r->stamp = u->stamp;
    r->open = (int32_t)u->reached_n; /* where it is among them */
    RESERVE(w->link, w->link_cap, u->reached_n + 1);
    w->link[u->reached_n] = (solved_link){ .resource = link, .flows = r->flows };
    PUSH(u->reached, u->reached_n, u->reached_cap, link);
  }
  solved_link *l = &w->link[r->open];
  PUSH(w->part, w->parts, w->part_cap, (part){ weight, r->open, (int32_t)w->flows });
  l->parts++;
  l->total += weight;
  l->flows--;
  l->known = false;
}

static void fetch_crossed(const fluid *u, size_t i) {
  const flow *f = flow_at(u, (size_t)u->solved[i]);
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++)
    __builtin_prefetch(&u->resource[c->resource], 1);
}

/* Copies what is needed of those that are solved since the last time. */
static void copy_solved(fluid *u, sparse_work *w) {
  RESERVE(w->flow, w->flow_cap, u->solved_n + 1);
  for (size_t i = w->flows; i < u->solved_n && i < w->flows + 2 * AHEAD; i++) fetch_flow(u, u->solved[i]);
  for (; w->flows < u->solved_n; w->flows++) {
    if (w->flows + 2 * AHEAD < u->solved_n) fetch_flow(u, u->solved[w->flows + 2 * AHEAD]);
    if (!u->bundled && w->flows + AHEAD < u->solved_n) fetch_crossed(u, w->flows + AHEAD);
    const flow *f = flow_at(u, (size_t)u->solved[w->flows]);
    w->flow[w->flows] = (solved_flow){ .most = f->most, .first = w->parts };
    w->limits |= f->most < DBL_MAX;
    for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) copy_part(u, w, c->resource, c->weight);
    const passing_table *t = f->is_bundle ? &u->bundles->bundle[f->message].passes : NULL;
    for (uint32_t i = 0; t && i < t->size; i++)
      if (t->at[i].resource != NONE && t->at[i].members)
        copy_part(u, w, t->at[i].resource, (double)t->at[i].members * t->at[i].weight);
  }
  w->flow[w->flows].first = w->parts;
}

/* ---- their shares -------------------------------------------------------------------------------------- */

/* Follows the lists of some links side by side, as each step of one waits for memory. */
static void fetch_lists(const fluid *u, const int32_t *link, size_t n) {
  int32_t at[AHEAD];
  if (n < 2) return;
  for (size_t k = 0; k < n; k++) at[k] = u->resource[link[k]].head;
  bool any = true;
  for (int step = 0; any && step < MAX_STEPS; step++) {
    any = false;
    for (size_t k = 0; k < n; k++) {
      if (at[k] == NONE) continue;
      const crossing *c = crossing_at(u, at[k]);
      fetch_state(u, (int32_t)c->flow);
      at[k] = c->next;
      if (at[k] == NONE) continue;
      __builtin_prefetch(crossing_at(u, at[k]));
      any = true;
    }
  }
}

/* Who is on a link. They lie far apart, and are asked more than once. */
static void list_users(const fluid *u, sparse_work *w, solved_link *l) {
  l->first_user = (uint32_t)w->users;
  for (int32_t at = u->resource[l->resource].head; at != NONE; at = crossing_at(u, at)->next) {
    const crossing *c = crossing_at(u, at);
    PUSH(w->user, w->users, w->user_cap, (user){ c->weight, (int32_t)c->flow });
  }
  l->users = (uint32_t)w->users - l->first_user;
  l->listed = true;
}

/* What flows that keep their rate take of a link. */
static double kept_of(const fluid *u, sparse_work *w, solved_link *l) {
  double kept = 0;
  if (!l->listed) list_users(u, w, l);
  for (const user *c = w->user + l->first_user, *end = c + l->users; c < end; c++) {
    const flow *f = flow_at(u, (size_t)c->flow);
    if (!is_solved(u, f)) kept += c->weight * f->rate;
  }
  return kept;
}

/* Puts solved flows beside each other by link. */
static void list_parts(const fluid *u, sparse_work *w) {
  uint32_t at = 0; /* where the next link's end; then each goes before those that are there */
  RESERVE(w->crossing, w->crossing_cap, w->parts);
  for (size_t i = 0; i < u->reached_n; i++) w->link[i].first = at += w->link[i].parts;
  for (size_t i = 0; i < w->parts; i++) {
    if (i + AHEAD < w->parts) __builtin_prefetch(&w->link[w->part[i + AHEAD].link], 1);
    w->crossing[--w->link[w->part[i].link].first] = w->part[i].flow;
  }
}

/* The lists of some links from this one on that will be asked for. */
static void fetch_users(const fluid *u, const sparse_work *w, size_t i) {
  int32_t link[AHEAD];
  size_t n = 0;
  for (size_t k = i; k < i + AHEAD && k < u->reached_n; k++)
    if (w->link[k].flows && !w->link[k].listed) link[n++] = w->link[k].resource;
  fetch_lists(u, link, n);
}

static void open_link(const fluid *u, sparse_work *w, int32_t link) {
  solved_link *l = &w->link[link];
  if (l->flows) {
    if (!l->known) l->kept = kept_of(u, w, l);
    PUSH(w->mixed, w->mixed_n, w->mixed_cap, link);
  } else l->kept = 0;
  l->known = true;
  l->left = fmax(0, 1 - l->kept);
  l->demand = l->total;
  l->open = u->resource[l->resource].flows - l->flows;
  heap_push(w, (filling){ l->left / l->demand, link });
}

/* From now on the flow has this share, and what it crosses has that much less for others. */
static void fix(sparse_work *w, size_t i, double share, int32_t bottleneck) {
  solved_flow *f = &w->flow[i];
  f->fixed = true;
  f->share = share;
  f->bottleneck = bottleneck;
  for (const part *p = w->part + f->first; p < w->part + f[1].first; p++) {
    solved_link *l = &w->link[p->link];
    l->left -= p->weight * share;
    l->demand -= p->weight;
    l->open--;
  }
}

/* The least limit of flows that have no share yet. */
static double least_limit(const sparse_work *w) {
  double least = DBL_MAX;
  for (size_t i = 0; w->limits && i < w->flows; i++)
    if (!w->flow[i].fixed) least = fmin(least, w->flow[i].most);
  return least;
}

/* Flows get their shares; who crosses no link that can fill up has its own limit alone. */
static void give_shares(fluid *u, sparse_work *w) {
  for (size_t i = 0; i < w->flows; i++) {
    if (i + 2 * AHEAD < w->flows) fetch_state(u, u->solved[i + 2 * AHEAD]);
    flow *f = flow_at(u, (size_t)u->solved[i]);
    const solved_flow *s = &w->flow[i];
    f->share = s->fixed ? s->share : flow_rate_alone(f);
    f->bottleneck = s->fixed ? s->bottleneck : NONE;
  }
}

/* Raises all rates together; who crosses the link that fills up first stays there, and so on. What a link still has for each grows while
 * others fill up, so the one that is next is asked again when its turn comes. */
static void fill_up(fluid *u, sparse_work *w) {
  w->heap_n = w->mixed_n = 0;
  list_parts(u, w);
  for (size_t i = 0; i < u->reached_n; i++) {
    if (i % AHEAD == 0) fetch_users(u, w, i);
    open_link(u, w, (int32_t)i);
  }
  for (size_t i = 0; i < w->flows; i++) w->flow[i].fixed = false;
  double level = 0, limit = least_limit(w);
  while (w->heap_n) {
    filling next = heap_take(w);
    solved_link *l = &w->link[next.link];
    if (!l->open) continue;
    double share = l->left / l->demand;
    if (w->heap_n && share > w->heap[0].share) {
      heap_push(w, (filling){ share, next.link });
      continue;
    }
    if (share > limit) {
      for (size_t i = 0; i < w->flows; i++)
        if (!w->flow[i].fixed && w->flow[i].most <= limit) fix(w, i, w->flow[i].most, NONE);
      limit = least_limit(w);
      heap_push(w, (filling){ l->open ? l->left / l->demand : 0, next.link });
      continue;
    }
    level = fmax(level, share); /* rounding; levels rise */
    const int32_t *flows = w->crossing + l->first;
    for (uint32_t i = 0; i < l->parts; i++) {
      if (i + AHEAD < l->parts) __builtin_prefetch(&w->flow[flows[i + AHEAD]], 1);
      if (i + AHEAD / 2 < l->parts) __builtin_prefetch(&w->part[w->flow[flows[i + AHEAD / 2]].first]);
      if (!w->flow[flows[i]].fixed) fix(w, (size_t)flows[i], level, l->resource);
    }
  }
  give_shares(u, w);
}

static inline double rate_of(const fluid *u, const flow *f) { return is_solved(u, f) ? f->share : f->rate; }

/* Who crosses this link and has no bottleneck any more, or more than one that has it as its bottleneck, is solved, too. */
static void check_bottlenecks(fluid *u, const sparse_work *w, const solved_link *l) {
  const user *first = w->user + l->first_user, *end = first + l->users;
  int32_t link = l->resource;
  double used = 0, most = 0, least_stuck = DBL_MAX;
  for (const user *c = first; c < end; c++) {
    if (c + AHEAD < end) fetch_state(u, c[AHEAD].flow);
    const flow *f = flow_at(u, (size_t)c->flow);
    double rate = rate_of(u, f);
    used += c->weight * rate;
    most = fmax(most, rate);
    if (f->bottleneck == link && is_solved(u, f)) least_stuck = fmin(least_stuck, rate);
  }
  bool full = used >= 1 - SAME;
  for (const user *c = first; c < end; c++) {
    const flow *f = flow_at(u, (size_t)c->flow);
    if (is_solved(u, f)) continue;
    bool lost = f->bottleneck == link && (!full || f->rate < most * (1 - SAME));
    if (lost || f->rate > least_stuck * (1 + SAME)) solve_too(u, c->flow);
  }
}

void sparse_solve(fluid *u) {
  if (!u->sparse_work) u->sparse_work = memset(array_grow(NULL, sizeof *u->sparse_work), 0, sizeof *u->sparse_work);
  sparse_work *w = u->sparse_work;
  u->reached_n = u->solved_n = w->parts = w->flows = w->users = 0;
  w->limits = false;
  fetch_first_dirty(u);
  for (size_t d = 0; d < u->dirty_n; d++) {
    int32_t link = u->dirty[d];
    fetch_dirty(u, d);
    if (d % AHEAD == 0) fetch_lists(u, u->dirty + d, u->dirty_n - d < AHEAD ? u->dirty_n - d : AHEAD);
    for (int32_t at = u->resource[link].head; at != NONE; at = crossing_at(u, at)->next) {
      int32_t index = (int32_t)crossing_at(u, at)->flow;
      const flow *f = flow_at(u, (size_t)index);
      if (f->bottleneck == link || f->rate == 0) solve_too(u, index);
    }
  }
  while (w->flows < u->solved_n) {
    copy_solved(u, w);
    fill_up(u, w);
    for (size_t i = 0; i < w->mixed_n; i++) check_bottlenecks(u, w, &w->link[w->mixed[i]]);
  }
  for (size_t i = 0; i < u->reached_n; i++) u->resource[u->reached[i]].left = w->link[i].left;
}

void sparse_free(fluid *u) {
  sparse_work *w = u->sparse_work;
  if (!w) return;
  free(w->link);
  free(w->part);
  free(w->crossing);
  free(w->user);
  free(w->flow);
  free(w->mixed);
  free(w->heap);
  free(w);
}
