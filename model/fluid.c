/* fluid: messages share what they cross, as SimGrid has it. */
#include "model/bundles.h"
#include "model/connected.h"
#include "model/dense.h"
#include "model/flows.h"
#include "model/sparse.h"

#include <stdlib.h>
#include <string.h>

/* In which a flow of an instant is fetched: its state, the rest of it, what it crosses, and whom it concerns. */
enum { STAGES = 4 };

static const char *fluid_prepare(void *state, engine *e) {
  fluid *u = state;
  event_queue_clear(&u->queue);
  u->free_list_n = u->spare_n = u->dirty_n = u->entered = 0;
  u->bundled = false;
  u->order = e->first_event;
  u->stamp = e->first_stamp;
  const char *why = paths_prepare(&u->paths, e->m, e->wiring.ranks);
  if (why) return why;
  u->sparse = u->paths.hops > 0;
  size_t bytes = sizeof(flow) + sizeof(crossing) * (size_t)u->paths.longest;
  u->flow_bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  u->flows = u->homes = (size_t)e->wiring.ranks;
  RESERVE(u->flow, u->flow_cap, u->homes * u->flow_bytes);
  RESERVE(u->home, u->home_cap, u->homes);
  memset(u->home, HOME_NEW, u->homes);
  RESERVE(u->resource, u->resource_cap, (size_t)u->paths.resources);
  for (int i = 0; i < u->paths.resources; i++) u->resource[i] = (resource){ .head = NONE };
  ordering_clear(&u->ordering, e, u->paths.nodes);
  return NULL;
}

static double fluid_busiest(void *state, const engine *e) {
  fluid *u = state;
  const wiring *w = &e->wiring;
  double most = 0;
  crossing *crossed = array_grow(NULL, sizeof *crossed * (size_t)u->paths.longest);
  RESERVE(u->load, u->load_cap, (size_t)u->paths.resources);
  memset(u->load, 0, sizeof *u->load * (size_t)u->paths.resources);
  for (size_t i = 0; i < w->transfers; i++) {
    const message *m = &w->message[i];
    bool is_flag = i >= w->messages && w->line[i - w->messages].flag != NONE; /* comes from whoever will have set it */
    if (is_flag || m->src == m->dst) continue;
    link_path v = paths_lay(&u->paths, m, crossed);
    for (int k = 0; k < v.crossed; k++) {
      double load = u->load[crossed[k].resource] += v.left * crossed[k].weight;
      if (load > most) most = load;
    }
  }
  free(crossed);
  return most;
}

/* Makes the flow of a message and returns it; *latency_s: how long it waits before it uses any bandwidth. */
static int32_t flow_make(fluid *u, const engine *e, int32_t id, double *latency_s) {
  int32_t index = flow_place_of(u, (int)message_at(e, id)->src);
  link_path v = paths_lay(&u->paths, message_at(e, id), flow_at(u, (size_t)index)->crossing);
  flow *f = flow_at(u, (size_t)index);
  f->message = id;
  f->crossed = v.crossed;
  f->left = v.left;
  f->most = v.most;
  f->is_bundle = false;
  f->bottleneck = NONE;
  f->rate = 0;
  f->at = -1;
  *latency_s = latency_drawn(e, id, v.latency_s);
  return index;
}

static void fluid_fetch(void *state, int rank) { fetch_flow(state, rank); }

static void fluid_launch(void *state, engine *e, int32_t id) {
  fluid *u = state;
  message *m = message_at(e, id);
  double latency;
  m->flags |= STARTED;
  m->link = flow_make(u, e, id, &latency);
  if (e->times) e->times[id].start = m->time;
  flow_happens_at(u, m->link,
                  u->ordering.any ? ordering_launch(&u->ordering, e, m->link, id, latency) : m->time + latency);
}

/* Those that cross the link know whether it is loose: most that they cross are, and need not be looked at. */
static void set_loose(fluid *u, const resource *r) {
  for (int32_t at = r->head; at != NONE; at = crossing_at(u, at)->next) crossing_at(u, at)->loose = is_loose(r);
}

static void flow_enter(fluid *u, const engine *e, int32_t index) {
  u->entered++;
  if (u->bundled) {
    dense_enter(u, e, index);
    return;
  }
  flow *f = flow_at(u, (size_t)index);
  crossing *c = f->crossing;
  double ceiling = u->sparse ? flow_rate_alone(f) : 0;
  mark_dirty(u, c->resource);
  for (const crossing *end = c + f->crossed; c < end; c++) {
    resource *r = &u->resource[c->resource];
    c->flow = (uint32_t)index;
    crossing_link(u, c, &r->head);
    r->flows++;
    if (!u->sparse) continue;
    bool loose = is_loose(r);
    r->potential += c->weight * ceiling;
    r->joined = stamp_after(u->stamp);
    c->loose = is_loose(r);
    if (loose != c->loose) set_loose(u, r);
  }
}

static void flow_leave(fluid *u, int32_t index) {
  if (u->bundled) {
    dense_leave(u, index);
    return;
  }
  const flow *f = flow_at(u, (size_t)index);
  double ceiling = u->sparse ? flow_rate_alone(f) : 0;
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    resource *r = &u->resource[c->resource];
    crossing_unlink(u, c, &r->head);
    bool loose = u->sparse && is_loose(r);
    if (--r->flows && !loose) mark_dirty(u, c->resource);
    if (!u->sparse) continue;
    r->potential = r->flows ? r->potential - c->weight * ceiling : 0;
    r->stuck -= c->resource == f->bottleneck;
    if (loose != is_loose(r)) set_loose(u, r);
  }
}

/* Whoever starts at one instant has started when time moves on. */
static bool fluid_next(void *state, engine *e) {
  fluid *u = state;
  if (u->order > MAX_EVENTS) {
    e->refusal = "more than 2^31 events, which the fluid rule cannot put in order; time fewer ranks, or calls";
    return false;
  }
  double time = 0;
  bool any = event_queue_next(&u->queue, &time);
  if (u->ordering.starting_n && (!any || time > u->ordering.serve_at) && e->alarm > u->ordering.serve_at) {
    size_t n = ordering_serve(&u->ordering, e);
    for (size_t i = 0; i < n; i++)
      flow_happens_at(u, u->ordering.starting[i], u->ordering.flow[u->ordering.starting[i]].ready);
    any = event_queue_next(&u->queue, &time);
  }
  return engine_move(e, any, time);
}

/* For causes: its bytes begin to flow, or all are through. */
static void note_flow(const fluid *u, engine *e, int32_t index, double time) {
  const flow *f = flow_at(u, (size_t)index);
  const message *m = message_at(e, f->message);
  if (m->flags & FLOWING) causes_rate(e->why, f->message, time, 0, NONE);
  else {
    double ready = u->ordering.any ? u->ordering.flow[index].ready : time;
    causes_flow(e->why, f->message, ready, time, f->left > 0 ? flow_rate_alone(f) : 1);
  }
}

/* The latency has passed, or there is nothing left to flow. */
static void flow_goes_on(fluid *u, engine *e, int32_t index, double time) {
  flow *f = flow_at(u, (size_t)index);
  message *m = message_at(e, f->message);
  if (causes_tracks(e->why, f->message)) note_flow(u, e, index, time);
  if (!(m->flags & FLOWING) && f->left > 0) {
    m->flags |= FLOWING;
    f->since = time;
    flow_enter(u, e, index);
    return;
  }
  if (m->flags & FLOWING) flow_leave(u, index);
  int32_t next = u->ordering.any ? ordering_leave(&u->ordering, e, index) : NONE;
  flow_give_back(u, index);
  engine_complete(e, f->message, time);
  if (next != NONE) flow_goes_on(u, e, next, time);
}

static void flow_happens(fluid *u, engine *e, int32_t index, double time) {
  flow *f = flow_at(u, (size_t)index);
  f->at = -1;
  if (f->is_bundle) {
    for (int32_t over = dense_over(u, e, index, true); over != NONE; over = dense_over(u, e, index, false))
      flow_goes_on(u, e, over, time);
    return;
  }
  bool flowing = message_at(e, f->message)->flags & FLOWING;
  if (flowing || !u->ordering.any || ordering_pass(&u->ordering, e, index)) flow_goes_on(u, e, index, time);
}

/* What happens to a flow at this time; NULL: it has been moved to another. */
static flow *flow_due(const fluid *u, uint64_t item, double time) {
  flow *f = flow_at(u, (uint32_t)item);
  return f->order == item >> 32 && f->at == time ? f : NULL;
}

static void fetch_path(const fluid *u, const engine *e, const flow *f) {
  if (!f || f->is_bundle) return;
  __builtin_prefetch(message_at(e, f->message), 1);
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++)
    __builtin_prefetch(&u->resource[c->resource], 1);
}

static void fetch_crossing(const fluid *u, int32_t place) {
  if (place != NONE) __builtin_prefetch(crossing_at(u, place), 1);
}

/* Who may go on by it; and of the lists of those that cross a link, who comes before it and behind it, or will. */
static void fetch_others(const fluid *u, const engine *e, const flow *f) {
  if (!f || f->is_bundle) return;
  const message *m = message_at(e, f->message);
  if (!(m->flags & EAGER)) __builtin_prefetch(&e->rank[m->src]);
  __builtin_prefetch(&e->rank[m->dst]);
  if (u->bundled) return;
  bool leaves = f->rate > 0;
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    fetch_crossing(u, leaves ? c->next : u->resource[c->resource].head);
    if (leaves) fetch_crossing(u, c->before);
  }
}

static inline void fetch_stage(const fluid *u, const engine *e, const moment *q, size_t i, int stage) {
  if (i >= q->n) return;
  int32_t index = (int32_t)(uint32_t)q->item[i];
  const flow *due = stage ? flow_due(u, q->item[i], q->time) : NULL;
  if (stage == 0) fetch_state(u, index);
  else if (stage == 1 && due) fetch_rest(u, index);
  else if (stage == 2) fetch_path(u, e, due);
  else fetch_others(u, e, due);
}

/* The first of an instant have nobody before them. */
static void fetch_first(const fluid *u, const engine *e, const moment *q) {
  for (int stage = 0; stage < STAGES; stage++)
    for (size_t i = 0; i < (size_t)(STAGES - stage) * AHEAD && i < q->n; i++) fetch_stage(u, e, q, i, stage);
}

static inline void fetch_next(const fluid *u, const engine *e, const moment *q, size_t i) {
  for (int stage = 0; stage < STAGES; stage++) fetch_stage(u, e, q, i + (size_t)(STAGES - stage) * AHEAD, stage);
}

/* Those of the instant after this one, and of the two that may be next. */
static void fetch_coming(const fluid *u, const engine *e) {
  const event_queue *all = &u->queue;
  for (size_t k = 0; k < 3 && k < all->due_n; k++) {
    const moment *q = &all->moment[all->due[k].moment];
    for (size_t i = 0; i < q->n && i < AHEAD; i++) fetch_stage(u, e, q, i, k ? 0 : 1);
  }
}

static void fluid_events(void *state, engine *e) {
  fluid *u = state;
  double time;
  while (event_queue_next(&u->queue, &time) && time <= e->now + tolerance(e->now)) {
    moment *q = event_queue_take(&u->queue);
    if (time > e->now) e->now = time;
    if (engine_is_large(e)) fetch_first(u, e, q), fetch_coming(u, e);
    for (size_t i = 0; i < q->n; i++) {
      if (i + AHEAD < q->n) fetch_next(u, e, q, i);
      if (flow_due(u, q->item[i], time)) flow_happens(u, e, (int32_t)(uint32_t)q->item[i], time);
    }
    q->n = 0;
  }
}

/* What it crosses. */
static void fetch_crossed(const fluid *u, int32_t res) {
  if (u->resource[res].head == NONE) return;
  const flow *f = flow_at(u, (size_t)crossing_at(u, u->resource[res].head)->flow);
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++)
    __builtin_prefetch(&u->resource[c->resource], 1);
}

/* Flows whose share has changed go on at it from now on. */
static void change_rates(fluid *u, engine *e) {
  e->shares += u->solved_n;
  for (size_t i = 0; i < u->solved_n; i++) {
    if (i + 2 * AHEAD < u->solved_n) fetch_state(u, u->solved[i + 2 * AHEAD]);
    flow *f = flow_at(u, (size_t)u->solved[i]);
    if (causes_tracks(e->why, f->message)) causes_rate(e->why, f->message, e->now, f->share, f->bottleneck);
    if (f->share == f->rate) continue;
    f->left -= f->rate * (e->now - f->since);
    if (f->left < 0) f->left = 0;
    f->since = e->now;
    f->rate = f->share;
    if (f->at >= 0) event_queue_leave(&u->queue, f->moment);
    flow_happens_at(u, u->solved[i], e->now + f->left / f->rate);
  }
}

/* How much of a link is in use. */
static double load_of(const fluid *u, int32_t link) {
  double load = 0;
  for (int32_t at = u->resource[link].head; at != NONE; at = crossing_at(u, at)->next)
    load += crossing_at(u, at)->weight * flow_at(u, (size_t)crossing_at(u, at)->flow)->rate;
  return load;
}

/* The one flow on a resource, where it shares nothing that it crosses with others; else NONE. */
static int32_t find_lone(const fluid *u, int32_t res) {
  if (u->resource[res].flows != 1) return NONE;
  int32_t index = (int32_t)crossing_at(u, u->resource[res].head)->flow;
  const flow *f = flow_at(u, (size_t)index);
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++)
    if (u->resource[c->resource].flows != 1) return NONE;
  return index;
}

static void give_shares(fluid *u, engine *e) {
  if (u->bundled) {
    dense_share(u, e);
    return;
  }
  stamp_next(u);
  if (u->sparse && u->dirty_n) {
    sparse_solve(u);
    change_rates(u, e);
    return;
  }
  for (size_t d = 0; d < u->dirty_n; d++) {
    fetch_dirty(u, d + AHEAD);
    if (d + AHEAD < u->dirty_n) fetch_crossed(u, u->dirty[d + AHEAD]);
    const resource *r = &u->resource[u->dirty[d]];
    if (r->stamp == u->stamp || !r->flows) continue;
    int32_t lone = find_lone(u, u->dirty[d]);
    if (lone == NONE) connected_reach(u, u->dirty[d]);
    else {
      u->solved_n = 0;
      PUSH(u->solved, u->solved_n, u->solved_cap, lone);
    }
    if (u->solved_n == 1) {
      flow *f = flow_at(u, (size_t)u->solved[0]);
      f->share = flow_rate_alone(f);
      f->bottleneck = NONE;
    } else connected_fill(u);
    change_rates(u, e);
  }
  clear_dirty(u);
}

static void fluid_settle(void *state, engine *e) {
  fluid *u = state;
  give_shares(u, e);
  if (!u->bundled && !e->why && dense_pays(u, e)) dense_begin(u, e);
  if (e->why && e->why->stage == CAUSES_LOAD) causes_load(e->why, e->now, load_of(u, e->why->watched));
}

static void fluid_free(void *state) {
  fluid *u = state;
  event_queue_free(&u->queue);
  ordering_free(&u->ordering);
  free(u->flow);
  free(u->home);
  free(u->free_list);
  free(u->spare);
  free(u->resource);
  free(u->load);
  free(u->dirty);
  free(u->reached);
  free(u->solved);
  sparse_free(u);
  bundles_free(u->bundles);
  paths_free(&u->paths);
}

/* Events of one instant are told apart by who was first, so the order in which woken ranks run is part of the result. */
const port_rule fluid_rule = {
  .bytes = sizeof(fluid),
  .last_rank_first = true,
  .prepare = fluid_prepare,
  .busiest_s = fluid_busiest,
  .fetch = fluid_fetch,
  .launch = fluid_launch,
  .next = fluid_next,
  .events = fluid_events,
  .settle = fluid_settle,
  .free = fluid_free,
};
