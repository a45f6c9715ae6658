#include "model/bundles.h"

#include <stdlib.h>

/* ---- which bundle a flow belongs to ------------------------------------------------------------------ */

static uint64_t mixed(uint64_t h, uint64_t with) {
  h = (h ^ with) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

static uint64_t bits_of(double d) {
  union {
    double d;
    uint64_t u;
  } bits = { d };
  return bits.u;
}

static uint64_t hash_of(const flow *f) {
  uint64_t h = mixed(0, bits_of(f->most));
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++)
    if (c->minded) h = mixed(mixed(h, (uint64_t)c->resource), bits_of(c->weight));
  return h;
}

static inline int32_t *place_of(const bundles *w, uint64_t hash) { return &w->table[hash & (w->table_size - 1)]; }

/* Whether this flow minds the links that the bundle does, and no other. */
static bool belongs(const fluid *u, const bundle *b, const flow *f) {
  const flow *g = flow_at(u, (size_t)b->flow);
  if (g->most != f->most) return false;
  int k = 0;
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    if (!c->minded) continue;
    if (k == g->crossed || g->crossing[k].resource != c->resource) return false;
    if (g->crossing[k++].weight != (double)b->n * c->weight) return false;
  }
  return k == g->crossed;
}

static int32_t find(const fluid *u, const flow *f, uint64_t hash) {
  const bundles *w = u->bundles;
  int32_t id = *place_of(w, hash);
  while (id != NONE && (w->bundle[id].hash != hash || !belongs(u, &w->bundle[id], f))) id = w->bundle[id].next;
  return id;
}

static void table_in(bundles *w, int32_t id) {
  int32_t *place = place_of(w, w->bundle[id].hash);
  w->bundle[id].next = *place;
  *place = id;
}

static void table_out(bundles *w, int32_t id) {
  int32_t *at = place_of(w, w->bundle[id].hash);
  while (*at != id) at = &w->bundle[*at].next;
  *at = w->bundle[id].next;
}

/* A table with room for more. */
static void table_grow(bundles *w) {
  w->table_size = w->table_size ? 2 * w->table_size : 1024;
  w->table = array_grow(w->table, sizeof *w->table * w->table_size);
  for (size_t i = 0; i < w->table_size; i++) w->table[i] = NONE;
  for (size_t id = 0; id < w->n; id++)
    if (w->bundle[id].flow != NONE) table_in(w, (int32_t)id);
}

/* ---- the heap of a bundle's members ------------------------------------------------------------------- */

static inline bool earlier(const member *a, const member *b) {
  return a->end < b->end || (a->end == b->end && a->order < b->order);
}

static void member_in(bundle *b, member one) {
  RESERVE(b->member, b->cap, b->n + 1);
  size_t i = b->n++;
  for (; i && earlier(&one, &b->member[(i - 1) / 2]); i = (i - 1) / 2) b->member[i] = b->member[(i - 1) / 2];
  b->member[i] = one;
}

static member member_out(bundle *b) {
  member first = b->member[0], last = b->member[--b->n];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < b->n; i = child) {
    if (child + 1 < b->n && earlier(&b->member[child + 1], &b->member[child])) child++;
    if (!earlier(&b->member[child], &last)) break;
    b->member[i] = b->member[child];
  }
  b->member[i] = last;
  return first;
}

/* ---- bundles ------------------------------------------------------------------------------------------ */

void bundles_load(fluid *u, int32_t index, double more) {
  bundles *w = u->bundles;
  const flow *f = flow_at(u, (size_t)index);
  for (const crossing *c = f->crossing; more != 0 && c < f->crossing + f->crossed; c++) {
    bundle_link *l = &w->link[c->resource];
    l->load += c->weight * more;
    if (l->full || l->over || l->load <= LOOSE) continue;
    l->over = true;
    PUSH(w->over, w->over_n, w->over_cap, c->resource);
  }
}

void bundles_touch(bundles *w, int32_t id) {
  if (w->bundle[id].touched) return;
  w->bundle[id].touched = true;
  PUSH(w->touched, w->touched_n, w->touched_cap, id);
}

/* How far it has come by now. */
void bundles_advance(fluid *u, bundle *b, double now) {
  flow *g = flow_at(u, (size_t)b->flow);
  b->through += g->rate * (now - g->since);
  g->since = now;
}

/* A flow stands for so many as there are now; each takes as much of a link as this one. */
void bundles_weigh(fluid *u, const bundle *b, const flow *like) {
  flow *g = flow_at(u, (size_t)b->flow);
  int k = 0;
  for (const crossing *c = like->crossing; k < g->crossed; c++)
    if (c->resource == g->crossing[k].resource) g->crossing[k++].weight = (double)b->n * c->weight;
}

static int32_t bundle_make(fluid *u, int32_t like, uint64_t hash, double now, double ceiling) {
  bundles *w = u->bundles;
  int32_t id = w->idle, index = flow_place(u);
  if (id != NONE) w->idle = w->bundle[id].next;
  else {
    RESERVE_ZEROED(w->bundle, w->cap, w->n + 1);
    id = (int32_t)w->n++;
  }
  bundle *b = &w->bundle[id];
  flow *g = flow_at(u, (size_t)index);
  const flow *f = flow_at(u, (size_t)like);
  b->flow = index;
  b->hash = hash;
  b->n = 0;
  b->through = 0;
  b->ceiling = ceiling;
  b->touched = b->split = false;
  passing_clear(&b->passes);
  g->message = id;
  g->is_bundle = true;
  g->most = f->most;
  g->bottleneck = NONE;
  g->rate = 0;
  g->since = now;
  g->at = -1;
  g->crossed = 0;
  for (int k = 0; k < f->crossed; k++) {
    int32_t link = f->crossing[k].resource;
    if (!f->crossing[k].minded) continue;
    crossing *c = &g->crossing[g->crossed++];
    *c = (crossing){ .resource = link, .flow = (uint32_t)index, .minded = true };
    crossing_link(u, c, &u->resource[link].head);
    u->resource[link].flows++;
  }
  table_in(w, id);
  w->used++;
  return id;
}

/* It has no members any more. */
static void dissolve(fluid *u, int32_t id) {
  bundles *w = u->bundles;
  flow *g = flow_at(u, (size_t)w->bundle[id].flow);
  for (int k = 0; k < g->crossed; k++) {
    int32_t link = g->crossing[k].resource;
    crossing_unlink(u, &g->crossing[k], &u->resource[link].head);
    u->resource[link].flows--;
    if (!w->link[link].flows) w->link[link].full = false, w->link[link].load = 0;
  }
  if (g->at >= 0) event_queue_leave(&u->queue, g->moment);
  g->at = -1;
  g->is_bundle = false;
  flow_give_back(u, w->bundle[id].flow);
  table_out(w, id);
  w->bundle[id].flow = NONE;
  w->bundle[id].next = w->idle;
  w->idle = id;
  w->used--;
}

/* Its rate is to be found again, from nothing. */
static void renew(fluid *u, int32_t id, double now) {
  bundle *b = &u->bundles->bundle[id];
  flow *g = flow_at(u, (size_t)b->flow);
  bundles_advance(u, b, now);
  g->rate = 0;
  mark_dirty(u, g->crossing->resource);
  bundles_touch(u->bundles, id);
}

/* Its rate is to be found again, and with it that of all who are stuck where it is. */
static void force(fluid *u, int32_t id, double now) {
  const flow *g = flow_at(u, (size_t)u->bundles->bundle[id].flow);
  if (g->bottleneck == NONE || g->rate == 0) {
    renew(u, id, now);
    return;
  }
  mark_dirty(u, g->bottleneck);
  bundles_touch(u->bundles, id);
}

static void pass_in(fluid *u, int32_t id, int32_t index) {
  bundles *w = u->bundles;
  bundle *b = &w->bundle[id];
  for (int k = 0; k < flow_at(u, (size_t)index)->crossed; k++) {
    const crossing *c = &flow_at(u, (size_t)index)->crossing[k];
    if (w->link[c->resource].full && !c->minded) passing_add(u, &b->passes, b->flow, c->resource, c->weight, 1);
  }
}

void bundles_pass_out(fluid *u, int32_t id, int32_t index) {
  bundles *w = u->bundles;
  const flow *f = flow_at(u, (size_t)index);
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++)
    if (w->link[c->resource].full && !c->minded) passing_remove(u, &w->bundle[id].passes, c->resource, c->weight, 1);
}

int32_t bundles_join(fluid *u, int32_t index, double left, double now, double ceiling) {
  bundles *w = u->bundles;
  if (2 * w->used >= w->table_size) table_grow(w);
  uint64_t hash = hash_of(flow_at(u, (size_t)index));
  int32_t id = find(u, flow_at(u, (size_t)index), hash);
  if (id == NONE) id = bundle_make(u, index, hash, now, ceiling);
  pass_in(u, id, index);
  bundle *b = &w->bundle[id];
  bundles_advance(u, b, now);
  flow *f = flow_at(u, (size_t)index);
  f->bundle = id;
  member_in(b, (member){ b->through + left, f->order, index });
  bundles_weigh(u, b, f);
  force(u, id, now);
  return id;
}

int32_t bundles_next(fluid *u, int32_t id, double reach) {
  bundle *b = &u->bundles->bundle[id];
  return b->n && b->member[0].end <= reach ? member_out(b).flow : NONE;
}

void bundles_pass(fluid *u, int32_t link, double now) {
  bundles *w = u->bundles;
  w->link[link].full = true;
  w->link[link].level = INFINITY;
  for (int32_t at = w->link[link].head; at != NONE; at = crossing_at(u, at)->next) {
    crossing *c = crossing_at(u, at);
    int32_t id = flow_at(u, (size_t)c->flow)->bundle;
    c->minded = false;
    if (id != NONE) passing_add(u, &w->bundle[id].passes, w->bundle[id].flow, link, c->weight, 1);
  }
  double load = 0;
  for (int32_t at = u->resource[link].head; at != NONE; at = crossing_at(u, at)->next)
    load += crossing_at(u, at)->weight * flow_at(u, (size_t)crossing_at(u, at)->flow)->rate;
  for (int32_t at = u->resource[link].head; load > LOOSE && at != NONE; at = crossing_at(u, at)->next)
    renew(u, flow_at(u, (size_t)crossing_at(u, at)->flow)->message, now);
}

void bundles_split(fluid *u, int32_t id, int32_t link, double now) {
  bundles *w = u->bundles;
  bundle *b = &w->bundle[id];
  stamp_next(u);
  for (int32_t at = w->link[link].head; at != NONE; at = crossing_at(u, at)->next) {
    crossing *c = crossing_at(u, at);
    flow *f = flow_at(u, (size_t)c->flow);
    if (f->bundle != id || c->minded) continue;
    bundles_pass_out(u, id, (int32_t)c->flow);
    c->minded = true;
    f->stamp = u->stamp;
  }
  bundles_advance(u, b, now);
  size_t n = b->n, moved = 0;
  RESERVE(w->moved, w->moved_cap, n);
  b->n = 0;
  for (size_t i = 0; i < n; i++) {
    member one = b->member[i];
    flow *f = flow_at(u, (size_t)one.flow);
    if (f->stamp == u->stamp) f->stamp = 0, w->moved[moved++] = one;
    else member_in(b, one);
  }
  b->split = true;
  double through = b->through, ceiling = b->ceiling;
  if (b->n) bundles_weigh(u, b, flow_at(u, (size_t)b->member[0].flow));
  renew(u, id, now);
  for (size_t i = 0; i < moved; i++) {
    int32_t index = w->moved[i].flow, to = bundles_join(u, index, w->moved[i].end - through, now, ceiling);
    bundles_load(u, index, w->bundle[to].ceiling - ceiling);
  }
}

void bundles_merge(fluid *u, int32_t id, int32_t into, double now) {
  bundles *w = u->bundles;
  bundle *from = &w->bundle[id], *to = &w->bundle[into];
  bundles_advance(u, from, now);
  bundles_advance(u, to, now);
  for (size_t i = 0; i < from->n; i++) {
    member one = from->member[i];
    one.end += to->through - from->through;
    flow_at(u, (size_t)one.flow)->bundle = into;
    bundles_load(u, one.flow, to->ceiling - from->ceiling);
    member_in(to, one);
  }
  from->n = 0;
  for (uint32_t i = 0; i < from->passes.size; i++) {
    passing p = from->passes.at[i];
    if (p.resource == NONE || !p.members) continue;
    passing_remove(u, &from->passes, p.resource, p.weight, p.members);
    passing_add(u, &to->passes, to->flow, p.resource, p.weight, p.members);
  }
  bundles_weigh(u, to, flow_at(u, (size_t)to->member[0].flow));
  bundles_touch(w, id);
  bundles_touch(w, into);
}

/* Members do not mind this link any more; returns how much of it one takes up. */
static double forgive(fluid *u, const bundle *b, int32_t link) {
  double weight = 0;
  for (size_t i = 0; i < b->n; i++) {
    crossing *c = flow_at(u, (size_t)b->member[i].flow)->crossing;
    while (c->resource != link) c++;
    c->minded = false;
    weight = c->weight;
  }
  return weight;
}

int32_t bundles_forget(fluid *u, int32_t id, int32_t link) {
  bundles *w = u->bundles;
  bundle *b = &w->bundle[id];
  flow *g = flow_at(u, (size_t)b->flow);
  double weight = forgive(u, b, link);
  int k = 0;
  while (g->crossing[k].resource != link) k++;
  for (int i = k; i < g->crossed; i++) crossing_unlink(u, &g->crossing[i], &u->resource[g->crossing[i].resource].head);
  u->resource[link].flows--;
  g->crossed--;
  for (int i = k; i < g->crossed; i++) {
    g->crossing[i] = g->crossing[i + 1];
    crossing_link(u, &g->crossing[i], &u->resource[g->crossing[i].resource].head);
  }
  if (w->link[link].full) passing_add(u, &b->passes, b->flow, link, weight, (uint32_t)b->n);
  const flow *f = flow_at(u, (size_t)b->member[0].flow);
  table_out(w, id);
  b->hash = hash_of(f);
  int32_t same = find(u, f, b->hash);
  table_in(w, id);
  return same;
}

void bundles_sweep(fluid *u) {
  bundles *w = u->bundles;
  size_t kept = 0;
  for (size_t i = 0; i < w->touched_n; i++) {
    int32_t id = w->touched[i];
    if (w->bundle[id].n) w->touched[kept++] = id;
    else dissolve(u, id);
  }
  w->touched_n = kept;
}

void bundles_clear(bundles *w, int links) {
  RESERVE(w->link, w->link_cap, (size_t)links);
  for (int i = 0; i < links; i++) w->link[i] = (bundle_link){ .head = NONE };
  w->n = w->used = w->over_n = w->touched_n = w->stuck_n = 0;
  w->table_size = 0; /* as at first, like `calm`: the same call always finds its bundles in the same order */
  w->calm = 0;
  w->idle = NONE;
}

void bundles_free(bundles *w) {
  for (size_t i = 0; w && i < w->cap; i++) free(w->bundle[i].member), free(w->bundle[i].passes.at);
  if (!w) return;
  free(w->bundle);
  free(w->table);
  free(w->link);
  free(w->over);
  free(w->touched);
  free(w->stuck);
  free(w->moved);
  free(w);
}
