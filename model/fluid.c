/* fluid: messages share what they cross, as SimGrid has it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/engine.h"
#include "model/moments.h"

/* A message that uses bandwidth. What is left of it and its rate are in shares of a port (1: it has the port for
 * itself) or in bytes of traffic, as the machine has it. */
enum { CROSSED = 6 };
typedef struct {
  int32_t message;
  int crossed;
  int32_t resource[CROSSED], next[CROSSED], before[CROSSED];
  double weight[CROSSED]; /* how much of the resource a rate of 1 takes up */
  double left, rate, since, share, most;
  double at; /* when it goes on: its event; -1: it has none */
  int32_t moment;
  uint32_t order, stamp; /* order: of events of one instant, those come first that were put in first */
  bool fixed;
} flow;

typedef struct {
  int32_t head;
  int flows;
  int open;
  uint32_t stamp;
  double left, demand;
} resource;

typedef struct {
  moments moments;
  flow *flow;
  size_t flows, flow_cap;
  int32_t *spare;
  size_t spare_n, spare_cap; /* flows that are over */
  resource *resource;
  size_t resource_cap;
  int resources;
  int32_t *dirty;
  size_t dirty_n, dirty_cap; /* resources whose flows have changed */
  int32_t *reached;
  size_t reached_n, reached_cap;
  int32_t *solved;
  size_t solved_n, solved_cap;
  uint32_t stamp, order;
  int nodes, sockets, span; /* span: sockets of a node */
  int32_t *lowest_socket;
  size_t lowest_socket_cap;
} fluid;

enum { MOST_RESOURCES = 1 << 25 };           /* 1 GiB */
static const double LEAST_LATENCY_S = 1e-12; /* as the plug-in: SimGrid weighs a flow without any differently */

/* Resources: a way out and a way in for each rank, then for each node, a memory for each socket, a way from each
 * socket to each of the same node. */
static const char *fluid_prepare(void *state, engine *e) {
  fluid *u = state;
  const machine *m = e->m;
  int p = e->wiring.ranks, ranks = m->places ? p : 0;
  moments_clear(&u->moments);
  u->spare_n = u->flows = u->dirty_n = 0;
  u->stamp = u->order = 0;
  u->nodes = u->sockets = u->span = 0;
  for (int r = 0; r < ranks; r++) {
    if (m->place[r].node >= u->nodes) u->nodes = m->place[r].node + 1;
    if (m->place[r].socket >= u->sockets) u->sockets = m->place[r].socket + 1;
  }
  if (m->interconnect_bytes_per_s > 0) {
    RESERVE(u->lowest_socket, u->lowest_socket_cap, (size_t)u->nodes);
    for (int n = 0; n < u->nodes; n++) u->lowest_socket[n] = INT32_MAX;
    for (int r = 0; r < ranks; r++) {
      int32_t *lowest = &u->lowest_socket[m->place[r].node];
      if (m->place[r].socket < *lowest) *lowest = m->place[r].socket;
    }
    for (int r = 0; r < ranks; r++) {
      int above = m->place[r].socket - u->lowest_socket[m->place[r].node];
      if (above >= u->span) u->span = above + 1;
    }
  }
  size_t resources = 2 * ((size_t)p + (size_t)u->nodes) + (size_t)u->sockets * (1 + (size_t)u->span);
  if (resources > MOST_RESOURCES)
    return "the machine's sockets are numbered so widely that their links cannot be held; number them from 0 up";
  u->resources = (int)resources;
  RESERVE(u->resource, u->resource_cap, (size_t)u->resources);
  for (int i = 0; i < u->resources; i++) u->resource[i] = (resource){ .head = NONE };
  return NULL;
}

static void cross(flow *f, int res, double weight) {
  f->resource[f->crossed] = res;
  f->weight[f->crossed++] = weight;
}

/* The links that the platforms' plug-in lays: rates are bytes a second of traffic, and so are shares. Returns the
 * narrowest. */
static double cross_links(fluid *u, const engine *e, flow *f, const message *m) {
  const machine *to = e->m;
  const coll_place *x = &to->place[m->src], *y = &to->place[m->dst];
  int p = e->wiring.ranks, nics = 2 * p, memories = nics + 2 * u->nodes, sockets = memories + u->sockets;
  double narrowest = to->core_bytes_per_s;
  cross(f, m->src, 1 / to->core_bytes_per_s);
  if (x->node != y->node) {
    if (to->nic_bytes_per_s > 0) {
      cross(f, nics + x->node, 1 / to->nic_bytes_per_s);
      cross(f, nics + u->nodes + y->node, 1 / to->nic_bytes_per_s);
      narrowest = fmin(narrowest, to->nic_bytes_per_s);
    }
    if (to->switch_bytes_per_s > 0) narrowest = fmin(narrowest, to->switch_bytes_per_s);
  } else if (x->socket != y->socket && to->interconnect_bytes_per_s > 0) {
    int way = x->socket * u->span + y->socket - u->lowest_socket[y->node];
    cross(f, sockets + way, 1 / to->interconnect_bytes_per_s);
    narrowest = fmin(narrowest, to->interconnect_bytes_per_s);
  }
  if (to->memory_bytes_per_s > 0) {
    cross(f, memories + y->socket, 1 / to->memory_bytes_per_s);
    narrowest = fmin(narrowest, to->memory_bytes_per_s);
  }
  cross(f, p + m->dst, 1 / to->core_bytes_per_s);
  /* The switch is wide enough for all at once, but not for one to be faster. */
  f->most = x->node != y->node && to->switch_bytes_per_s > 0 ? to->switch_bytes_per_s : DBL_MAX;
  return narrowest;
}

/* Where the machine does not name its links: rates are shares of the port. */
static void cross_ports(fluid *u, const engine *e, flow *f, const message *m, double s_per_byte) {
  int p = e->wiring.ranks;
  cross(f, m->src, 1);
  cross(f, p + m->dst, 1);
  f->most = DBL_MAX;
  if (!e->m->places || f->left <= 0) return;
  const coll_place *x = &e->m->place[m->src], *y = &e->m->place[m->dst];
  double speed = 1 / s_per_byte;
  if (e->m->nic_bytes_per_s > 0 && x->node != y->node) {
    cross(f, 2 * p + x->node, speed / e->m->nic_bytes_per_s);
    cross(f, 2 * p + u->nodes + y->node, speed / e->m->nic_bytes_per_s);
  }
  if (e->m->memory_bytes_per_s > 0 && x->node == y->node && x->cache != y->cache) {
    cross(f, 2 * p + 2 * u->nodes + x->socket, speed / e->m->memory_bytes_per_s);
    if (x->socket != y->socket) cross(f, 2 * p + 2 * u->nodes + y->socket, speed / e->m->memory_bytes_per_s);
  }
}

/* Makes the flow of a message and returns it; *latency: how long it waits before it uses any bandwidth. */
static int32_t flow_make(fluid *u, const engine *e, int32_t id, double *latency) {
  int32_t index;
  if (u->spare_n) index = u->spare[--u->spare_n];
  else {
    RESERVE(u->flow, u->flow_cap, u->flows + 1);
    index = (int32_t)u->flows++;
    u->flow[index].stamp = 0;
  }
  const message *m = &e->wiring.message[id];
  const machine_piece *c = price(e, m);
  flow *f = &u->flow[index];
  f->message = id;
  f->crossed = 0;
  f->rate = 0;
  f->at = -1;
  bool shared = m->flags & TRANSFER; /* no control bytes */
  double flowing = (double)m->bytes + (shared ? 0 : e->m->control_bytes);
  if (e->m->core_bytes_per_s > 0 && e->m->places) {
    /* The curve is that of a message, control bytes and all: what it takes beyond their flow is latency. */
    double most = ((double)m->bytes + e->m->control_bytes) * c->traffic / cross_links(u, e, f, m);
    *latency = fmax(LEAST_LATENCY_S, c->latency_s + (double)m->bytes * c->s_per_byte - most);
    f->left = flowing * c->traffic;
  } else {
    f->left = flowing * c->s_per_byte;
    *latency = c->latency_s;
    cross_ports(u, e, f, m, c->s_per_byte);
  }
  return index;
}

static void happens_at(fluid *u, int32_t index, double time) {
  flow *f = &u->flow[index];
  if (f->at < 0) f->order = u->order++;
  f->at = time;
  f->moment = moments_add(&u->moments, (uint64_t)f->order << 32 | (uint32_t)index, time);
}

static void fluid_launch(void *state, engine *e, int32_t id) {
  fluid *u = state;
  message *m = message_at(e, id);
  double latency;
  m->flags |= STARTED;
  m->link = flow_make(u, e, id, &latency);
  if (e->times) e->times[id].start = m->time;
  happens_at(u, m->link, m->time + latency);
}

static void touch(fluid *u, int res) { PUSH(u->dirty, u->dirty_n, u->dirty_cap, res); }

/* Lists of the flows on a resource hold flow · CROSSED + slot. */
static void flow_enter(fluid *u, int32_t index) {
  flow *f = &u->flow[index];
  for (int k = 0; k < f->crossed; k++) {
    resource *r = &u->resource[f->resource[k]];
    f->before[k] = NONE;
    f->next[k] = r->head;
    if (r->head != NONE) u->flow[r->head / CROSSED].before[r->head % CROSSED] = index * CROSSED + k;
    r->head = index * CROSSED + k;
    r->flows++;
  }
  touch(u, f->resource[0]);
}

static void flow_leave(fluid *u, int32_t index) {
  flow *f = &u->flow[index];
  for (int k = 0; k < f->crossed; k++) {
    resource *r = &u->resource[f->resource[k]];
    if (f->before[k] == NONE) r->head = f->next[k];
    else u->flow[f->before[k] / CROSSED].next[f->before[k] % CROSSED] = f->next[k];
    if (f->next[k] != NONE) u->flow[f->next[k] / CROSSED].before[f->next[k] % CROSSED] = f->before[k];
    if (--r->flows) touch(u, f->resource[k]);
  }
}

static bool fluid_next(void *state, engine *e) { return moments_next(&((fluid *)state)->moments, &e->now); }

static void happens(fluid *u, engine *e, int32_t index, double time) {
  flow *f = &u->flow[index];
  message *m = message_at(e, f->message);
  f->at = -1;
  if (!(m->flags & FLOWING) && f->left > 0) { /* the latency has passed */
    m->flags |= FLOWING;
    f->since = time;
    flow_enter(u, index);
    return;
  }
  if (m->flags & FLOWING) flow_leave(u, index);
  PUSH(u->spare, u->spare_n, u->spare_cap, index);
  engine_complete(e, f->message, time);
}

static void fetch_flow(const fluid *u, uint64_t item) {
  const flow *f = &u->flow[(uint32_t)item];
  __builtin_prefetch(f, 1);
  __builtin_prefetch((const char *)f + 64, 1);
  __builtin_prefetch((const char *)f + 128, 1);
}

static void fetch_way(const fluid *u, const engine *e, uint64_t item) {
  const flow *f = &u->flow[(uint32_t)item];
  __builtin_prefetch(message_at(e, f->message), 1);
  for (int k = 0; k < f->crossed; k++) __builtin_prefetch(&u->resource[f->resource[k]], 1);
}

static void fetch_ranks(const fluid *u, const engine *e, uint64_t item) {
  const message *m = message_at(e, u->flow[(uint32_t)item].message);
  __builtin_prefetch(&e->rank[m->src]);
  __builtin_prefetch(&e->rank[m->dst]);
}

static void fluid_events(void *state, engine *e) {
  fluid *u = state;
  double time;
  while (moments_next(&u->moments, &time) && time <= e->now + close_to(e->now)) {
    moment *q = moments_take(&u->moments);
    if (time > e->now) e->now = time;
    for (size_t i = 0; i < q->n; i++) {
      if (i + 3 * AHEAD < q->n) fetch_flow(u, q->item[i + 3 * AHEAD]);
      if (i + 2 * AHEAD < q->n) fetch_way(u, e, q->item[i + 2 * AHEAD]);
      if (i + AHEAD < q->n) fetch_ranks(u, e, q->item[i + AHEAD]);
      int32_t index = (int32_t)(uint32_t)q->item[i];
      const flow *f = &u->flow[index];
      if (f->order == q->item[i] >> 32 && f->at == time) happens(u, e, index, time); /* it has not been moved */
    }
    q->n = 0;
  }
}

/* All flows and resources that hang together with `res`: shares elsewhere do not change. */
static void reach(fluid *u, int res) {
  u->reached_n = u->solved_n = 0;
  u->resource[res].stamp = u->stamp;
  PUSH(u->reached, u->reached_n, u->reached_cap, res);
  for (size_t i = 0; i < u->reached_n; i++) {
    for (int32_t at = u->resource[u->reached[i]].head; at != NONE; at = u->flow[at / CROSSED].next[at % CROSSED]) {
      flow *f = &u->flow[at / CROSSED];
      if (f->stamp == u->stamp) continue;
      f->stamp = u->stamp;
      PUSH(u->solved, u->solved_n, u->solved_cap, at / CROSSED);
      for (int k = 0; k < f->crossed; k++) {
        if (u->resource[f->resource[k]].stamp == u->stamp) continue;
        u->resource[f->resource[k]].stamp = u->stamp;
        PUSH(u->reached, u->reached_n, u->reached_cap, f->resource[k]);
      }
    }
  }
}

static void fix(fluid *u, flow *f, double share) {
  f->fixed = true;
  f->share = share;
  for (int k = 0; k < f->crossed; k++) {
    resource *r = &u->resource[f->resource[k]];
    r->left -= f->weight[k] * share;
    r->demand -= f->weight[k];
    r->open--;
  }
}

/* The rate of a flow that shares nothing. */
static double alone(const flow *f) {
  double most = f->weight[0];
  for (int k = 1; k < f->crossed; k++)
    if (f->weight[k] > most) most = f->weight[k];
  return fmin(1 / most, f->most);
}

/* Max-min shares: raise all rates together; who crosses the resource that fills up first stays there, and so on. */
static void fill(fluid *u) {
  for (size_t i = 0; i < u->reached_n; i++) {
    resource *r = &u->resource[u->reached[i]];
    r->left = 1;
    r->demand = 0;
    r->open = r->flows;
  }
  bool limits = false;
  for (size_t i = 0; i < u->solved_n; i++) {
    flow *f = &u->flow[u->solved[i]];
    f->fixed = false;
    if (f->most < DBL_MAX) limits = true;
    for (int k = 0; k < f->crossed; k++) u->resource[f->resource[k]].demand += f->weight[k];
  }
  size_t open = u->solved_n;
  double level = 0;
  while (open) {
    double least = DBL_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < u->reached_n; i++) {
      resource *r = &u->resource[u->reached[i]];
      if (!r->open) continue;
      u->reached[kept++] = u->reached[i];
      double share = r->left / r->demand;
      if (share < least) least = share;
    }
    u->reached_n = kept;
    if (least < level) least = level; /* rounding; levels rise */
    size_t before = open;
    for (size_t i = 0; limits && i < u->solved_n; i++) {
      flow *f = &u->flow[u->solved[i]];
      if (f->fixed || f->most >= least) continue;
      fix(u, f, f->most);
      open--;
    }
    if (open < before) continue;
    level = least;
    for (size_t i = 0; i < kept; i++) {
      resource *r = &u->resource[u->reached[i]];
      if (!r->open || r->left > least * (1 + 1e-12) * r->demand) continue;
      for (int32_t at = r->head; at != NONE; at = u->flow[at / CROSSED].next[at % CROSSED]) {
        flow *f = &u->flow[at / CROSSED];
        if (f->fixed) continue;
        fix(u, f, least);
        open--;
      }
    }
    /* Weights so far apart that a double loses the lesser ones: who is left shares with nobody that can be told. */
    for (size_t i = 0; open == before && i < u->solved_n; i++)
      if (!u->flow[u->solved[i]].fixed) u->flow[u->solved[i]].share = alone(&u->flow[u->solved[i]]);
    if (open == before) return;
  }
}

static void fluid_settle(void *state, engine *e) {
  fluid *u = state;
  u->stamp++;
  for (size_t d = 0; d < u->dirty_n; d++) {
    if (d + 4 * AHEAD < u->dirty_n) __builtin_prefetch(&u->resource[u->dirty[d + 4 * AHEAD]], 1);
    if (d + 3 * AHEAD < u->dirty_n) fetch_flow(u, (uint64_t)u->resource[u->dirty[d + 3 * AHEAD]].head / CROSSED);
    if (u->resource[u->dirty[d]].stamp == u->stamp) continue;
    reach(u, u->dirty[d]);
    if (u->solved_n == 1) {
      flow *f = &u->flow[u->solved[0]];
      f->share = alone(f);
    } else fill(u);
    for (size_t i = 0; i < u->solved_n; i++) {
      flow *f = &u->flow[u->solved[i]];
      if (f->share == f->rate) continue;
      f->left -= f->rate * (e->now - f->since);
      if (f->left < 0) f->left = 0;
      f->since = e->now;
      f->rate = f->share;
      if (f->at >= 0) moments_leave(&u->moments, f->moment);
      happens_at(u, u->solved[i], e->now + f->left / f->rate);
    }
  }
  u->dirty_n = 0;
}

static void fluid_free(void *state) {
  fluid *u = state;
  moments_free(&u->moments);
  free(u->flow);
  free(u->spare);
  free(u->resource);
  free(u->dirty);
  free(u->reached);
  free(u->solved);
  free(u->lowest_socket);
}

/* Events of one instant are told apart by who was first, so the order in which woken ranks run is part of the result. */
const port_rule fluid_rule = {
  .bytes = sizeof(fluid),
  .last_rank_first = true,
  .prepare = fluid_prepare,
  .launch = fluid_launch,
  .next = fluid_next,
  .events = fluid_events,
  .settle = fluid_settle,
  .free = fluid_free,
};
