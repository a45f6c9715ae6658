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
#include "model/filling.h"
#include "model/users.h"

/* A link of solved flows: how much of it these take up at a rate of 1, how much others keep of it; then what is left of both while it fills. */
typedef struct {
  double left, demand, total, kept;
  int32_t open, members; /* solved flows that have no share yet; all solved ones */
  uint32_t parts, first; /* of these, and the first among `crossing` */
  link_users users;
  bool known, listed; /* `kept` is; its users are */
} solved_link;

/* What each flow of a set takes up of a link. */
typedef struct {
  double weight;
  int32_t link, resource; /* link: among the solved ones */
} part;

/* Solved flows, one behind the other, that mind the same links: those of neighbouring ranks, which go the same way. They have one share. */
typedef struct {
  double most, share;
  size_t first;           /* their parts, up to those of the next set */
  uint32_t flow, members; /* the first of them among u->solved */
  int32_t bottleneck;
  bool fixed;
} flow_set;

typedef struct sparse_work {
  solved_link *link; /* as u->reached */
  size_t link_cap;
  part *part;
  size_t parts, part_cap;
  int32_t *crossing; /* the parts' sets, link by link; of each the last one first */
  size_t crossing_cap;
  users users;   /* of links of which others than solved flows have a part */
  flow_set *set; /* and one more for the end */
  size_t sets, set_cap;
  size_t copied;             /* of u->solved */
  int32_t *mixed;            /* by their numbers among `link` */
  size_t mixed_n, mixed_cap; /* links of solved flows and of others */
  filling_heap heap;
  bool limits;
} sparse_work;

/* Rates that are nearer than this are one. */
static const double SAME = 1e-12;

/* ---- which flows are solved --------------------------------------------------------------------------- */

static inline bool is_solved(const fluid *u, const flow *f) { return f->stamp == u->stamp; }

/* From now on this flow is solved again. */
static inline void solve_too(fluid *u, int32_t index) {
  flow *f = flow_at(u, (size_t)index);
  if (is_solved(u, f)) return;
  f->stamp = u->stamp;
  PUSH(u->solved, u->solved_n, u->solved_cap, index);
}

/* Where the link is among those of solved flows. */
static int32_t place_of(fluid *u, sparse_work *w, int32_t link) {
  resource *r = &u->resource[link];
  if (r->stamp != u->stamp) {
    r->stamp = u->stamp;
    r->open = (int32_t)u->reached_n;
    RESERVE(w->link, w->link_cap, u->reached_n + 1);
    w->link[u->reached_n] = (solved_link){ .users = { .link = link, .n = (uint32_t)r->flows } };
    PUSH(u->reached, u->reached_n, u->reached_cap, link);
  }
  return r->open;
}

/* One more flow of the last set. */
static void count_member(sparse_work *w, const part *p) {
  solved_link *l = &w->link[p->link];
  l->total += p->weight;
  l->members++;
  l->known = false;
}

static void copy_part(fluid *u, sparse_work *w, int32_t link, double weight) {
  int32_t at = place_of(u, w, link);
  PUSH(w->part, w->parts, w->part_cap, (part){ weight, at, link });
  w->link[at].parts++;
  count_member(w, &w->part[w->parts - 1]);
}

static void fetch_crossed(const fluid *u, size_t i) {
  const flow *f = flow_at(u, (size_t)u->solved[i]);
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++)
    if (!c->loose) __builtin_prefetch(&u->resource[c->resource], 1);
}

static inline bool is_minded(const fluid *u, const crossing *c) { return u->bundled || !c->loose; }

/* Whether the flow is like those of the last set. */
static bool belongs(const fluid *u, const sparse_work *w, const flow *f) {
  if (!w->sets || u->bundled) return false;
  const flow_set *s = &w->set[w->sets - 1];
  const part *p = w->part + s->first, *end = w->part + w->parts;
  if (s->most != f->most) return false;
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    if (!is_minded(u, c)) continue;
    if (p == end || p->resource != c->resource || p->weight != c->weight) return false;
    p++;
  }
  return p == end;
}

static void copy_flow(fluid *u, sparse_work *w, uint32_t i) {
  const flow *f = flow_at(u, (size_t)u->solved[i]);
  if (belongs(u, w, f)) {
    flow_set *s = &w->set[w->sets - 1];
    for (size_t k = s->first; k < w->parts; k++) count_member(w, &w->part[k]);
    s->members++;
    return;
  }
  RESERVE(w->set, w->set_cap, w->sets + 2);
  w->set[w->sets++] = (flow_set){ .most = f->most, .first = w->parts, .flow = i, .members = 1 };
  w->limits |= f->most < DBL_MAX;
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++)
    if (is_minded(u, c)) copy_part(u, w, c->resource, c->weight);
  const passing_table *t = f->is_bundle ? &u->bundles->bundle[f->message].passes : NULL;
  for (uint32_t k = 0; t && k < t->size; k++)
    if (t->at[k].resource != NONE && t->at[k].members)
      copy_part(u, w, t->at[k].resource, (double)t->at[k].members * t->at[k].weight);
}

/* Copies what is needed of those that are solved since the last time. */
static void copy_solved(fluid *u, sparse_work *w) {
  for (size_t i = w->copied; i < u->solved_n && i < w->copied + 2 * AHEAD; i++) fetch_flow(u, u->solved[i]);
  for (; w->copied < u->solved_n; w->copied++) {
    if (w->copied + 2 * AHEAD < u->solved_n) fetch_flow(u, u->solved[w->copied + 2 * AHEAD]);
    if (!u->bundled && w->copied + AHEAD < u->solved_n) fetch_crossed(u, w->copied + AHEAD);
    copy_flow(u, w, (uint32_t)w->copied);
  }
  w->set[w->sets].first = w->parts;
}

/* ---- their shares -------------------------------------------------------------------------------------- */

static inline bool is_mixed(const solved_link *l) { return l->users.n > (uint32_t)l->members; }

/* What flows that keep their rate take of a link. */
static double kept_of(const fluid *u, const sparse_work *w, const solved_link *l) {
  double kept = 0;
  for (const user *c = w->users.at + l->users.first, *end = c + l->users.n; c < end; c++) {
    users_fetch(&w->users, u, c);
    const flow *f = flow_at(u, (size_t)c->flow);
    if (!is_solved(u, f)) kept += c->weight * f->rate;
  }
  return kept;
}

/* Puts sets of flows beside each other by link. */
static void list_parts(const fluid *u, sparse_work *w) {
  uint32_t at = 0; /* where the next link's end; then each goes before those that are there */
  RESERVE(w->crossing, w->crossing_cap, w->parts);
  for (size_t i = 0; i < u->reached_n; i++) w->link[i].first = at += w->link[i].parts;
  for (size_t s = 0; s < w->sets; s++)
    for (size_t i = w->set[s].first; i < w->set[s + 1].first; i++) {
      if (i + AHEAD < w->parts) __builtin_prefetch(&w->link[w->part[i + AHEAD].link], 1);
      w->crossing[--w->link[w->part[i].link].first] = (int32_t)s;
    }
}

/* Lists the users of those that will be asked for, some at a time. */
static void list_mixed(const fluid *u, sparse_work *w) {
  link_users *listed[AHEAD];
  size_t n = 0;
  for (size_t i = 0; i < u->reached_n; i++) {
    solved_link *l = &w->link[i];
    if (is_mixed(l) && !l->listed) {
      listed[n++] = &l->users;
      l->listed = true;
    }
    if (n < AHEAD && i + 1 < u->reached_n) continue;
    users_list(&w->users, u, listed, n);
    n = 0;
  }
}

static void open_link(const fluid *u, sparse_work *w, int32_t link) {
  solved_link *l = &w->link[link];
  if (is_mixed(l)) {
    if (!l->known) l->kept = kept_of(u, w, l);
    PUSH(w->mixed, w->mixed_n, w->mixed_cap, link);
  } else l->kept = 0;
  l->known = true;
  l->left = fmax(0, 1 - l->kept);
  l->demand = l->total;
  l->open = l->members;
  heap_push(&w->heap, (filling){ l->left / l->demand, link });
}

/* From now on these flows have this share, and what they cross has that much less for others: one after the other, as doubles round. */
static void fix(sparse_work *w, size_t set, double share, int32_t bottleneck) {
  flow_set *s = &w->set[set];
  s->fixed = true;
  s->share = share;
  s->bottleneck = bottleneck;
  for (const part *p = w->part + s->first; p < w->part + s[1].first; p++) {
    solved_link *l = &w->link[p->link];
    double taken = p->weight * share, left = l->left, demand = l->demand;
    for (uint32_t i = 0; i < s->members; i++) {
      left -= taken;
      demand -= p->weight;
    }
    l->left = left;
    l->demand = demand;
    l->open -= (int32_t)s->members;
  }
}

/* The least limit of flows that have no share yet. */
static double least_limit(const sparse_work *w) {
  double least = DBL_MAX;
  for (size_t i = 0; w->limits && i < w->sets; i++)
    if (!w->set[i].fixed) least = fmin(least, w->set[i].most);
  return least;
}

static void set_share(fluid *u, flow *f, double share, int32_t bottleneck) {
  f->share = share;
  if (f->bottleneck == bottleneck) return;
  if (!u->bundled && f->bottleneck != NONE) u->resource[f->bottleneck].stuck--;
  if (!u->bundled && bottleneck != NONE) u->resource[bottleneck].stuck++;
  f->bottleneck = bottleneck;
}

/* Flows get their shares; who crosses no link that can fill up has its own limit alone. */
static void give_shares(fluid *u, sparse_work *w) {
  for (const flow_set *s = w->set; s < w->set + w->sets; s++)
    for (size_t i = s->flow; i < s->flow + s->members; i++) {
      if (i + 2 * AHEAD < u->solved_n) fetch_state(u, u->solved[i + 2 * AHEAD]);
      flow *f = flow_at(u, (size_t)u->solved[i]);
      if (s->fixed) set_share(u, f, s->share, s->bottleneck);
      else set_share(u, f, flow_rate_alone(f), NONE);
    }
}

/* The links that are likely to be next, and the sets of flows of the first. */
static void fetch_filling(const sparse_work *w) {
  const filling_heap *h = &w->heap;
  for (size_t k = 1; k < 3 && k < h->n; k++) __builtin_prefetch(&w->link[h->at[k].link], 1);
  if (h->n) __builtin_prefetch(&w->crossing[w->link[h->at[0].link].first]);
}

/* Raises all rates together; who crosses the link that fills up first stays there, and so on. What a link still has for each grows while
 * others fill up, so the one that is next is asked again when its turn comes. */
static void fill_up(fluid *u, sparse_work *w) {
  w->heap.n = w->mixed_n = 0;
  list_parts(u, w);
  list_mixed(u, w);
  for (size_t i = 0; i < u->reached_n; i++) open_link(u, w, (int32_t)i);
  for (size_t i = 0; i < w->sets; i++) w->set[i].fixed = false;
  double level = 0, limit = least_limit(w);
  while (w->heap.n) {
    filling next = heap_take(&w->heap);
    solved_link *l = &w->link[next.link];
    fetch_filling(w);
    if (!l->open) continue;
    double share = l->left / l->demand;
    if (w->heap.n && share > w->heap.at[0].share) {
      heap_push(&w->heap, (filling){ share, next.link });
      continue;
    }
    if (share > limit) {
      for (size_t i = 0; i < w->sets; i++)
        if (!w->set[i].fixed && w->set[i].most <= limit) fix(w, i, w->set[i].most, NONE);
      limit = least_limit(w);
      heap_push(&w->heap, (filling){ l->open ? l->left / l->demand : 0, next.link });
      continue;
    }
    level = fmax(level, share); /* rounding; levels rise */
    const int32_t *set = w->crossing + l->first;
    for (uint32_t i = 0; i < l->parts; i++) {
      if (i + AHEAD < l->parts) __builtin_prefetch(&w->set[set[i + AHEAD]], 1);
      if (i + AHEAD / 2 < l->parts) __builtin_prefetch(&w->part[w->set[set[i + AHEAD / 2]].first]);
      if (!w->set[set[i]].fixed) fix(w, (size_t)set[i], level, l->users.link);
    }
  }
  give_shares(u, w);
}

static inline double rate_of(const fluid *u, const flow *f) { return is_solved(u, f) ? f->share : f->rate; }

/* Who crosses this link and has no bottleneck any more, or more than one that has it as its bottleneck, is solved, too. */
static void check_bottlenecks(fluid *u, const sparse_work *w, const solved_link *l) {
  const user *first = w->users.at + l->users.first, *end = first + l->users.n;
  int32_t link = l->users.link;
  double used = 0, most = 0, least_stuck = DBL_MAX;
  for (const user *c = first; c < end; c++) {
    users_fetch(&w->users, u, c);
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

/* Whether a flow on the link has lost its bottleneck, or never had one. */
static bool is_concerned(const fluid *u, int32_t link) {
  const resource *r = &u->resource[link];
  return u->bundled || r->stuck || r->joined == u->stamp;
}

/* Where flows have come or gone, those are solved that are new there and those that have their bottleneck there. */
static void solve_dirty(fluid *u, sparse_work *w) {
  link_users dirty[AHEAD], *listed[AHEAD];
  size_t n = 0;
  fetch_first_dirty(u);
  for (size_t d = 0; d < u->dirty_n; d++) {
    int32_t link = u->dirty[d];
    resource *r = &u->resource[link];
    fetch_dirty(u, d);
    r->dirty = false;
    if (is_concerned(u, link)) {
      dirty[n] = (link_users){ .link = link, .n = (uint32_t)r->flows };
      listed[n] = &dirty[n];
      n++;
    }
    if (n < AHEAD && d + 1 < u->dirty_n) continue;
    w->users.n = 0;
    users_list(&w->users, u, listed, n);
    for (size_t i = 0; i < FAR_AHEAD && i < w->users.n; i++) fetch_state(u, w->users.at[i].flow);
    for (const link_users *l = dirty; l < dirty + n; l++)
      for (const user *c = w->users.at + l->first, *end = c + l->n; c < end; c++) {
        users_fetch(&w->users, u, c);
        const flow *f = flow_at(u, (size_t)c->flow);
        if (f->bottleneck == l->link || f->rate == 0) solve_too(u, c->flow);
      }
    n = 0;
  }
  u->dirty_n = w->users.n = 0;
}

void sparse_solve(fluid *u) {
  if (!u->sparse_work) u->sparse_work = memset(array_grow(NULL, sizeof *u->sparse_work), 0, sizeof *u->sparse_work);
  sparse_work *w = u->sparse_work;
  u->reached_n = u->solved_n = w->parts = w->sets = w->copied = 0;
  w->limits = false;
  solve_dirty(u, w);
  while (w->copied < u->solved_n) {
    copy_solved(u, w);
    fill_up(u, w);
    for (size_t i = 0; i < w->mixed_n; i++) check_bottlenecks(u, w, &w->link[w->mixed[i]]);
  }
  for (size_t i = 0; u->bundled && i < u->reached_n; i++) u->resource[u->reached[i]].left = w->link[i].left;
}

void sparse_free(fluid *u) {
  sparse_work *w = u->sparse_work;
  if (!w) return;
  free(w->link);
  free(w->part);
  free(w->crossing);
  free(w->users.at);
  free(w->set);
  free(w->mixed);
  free(w->heap.at);
  free(w);
}
