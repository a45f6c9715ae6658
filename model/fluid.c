/* fluid: messages share what they cross, as SimGrid has it. */
#include "model/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double LEAST_LATENCY_S = 1e-12;   /* as the plug-in: SimGrid weighs a flow without any differently */

/* Resources: a way out and a way in for each rank, then for each node, a memory for each socket, a way from each
 * socket to each of the same node. */
void fluid_prepare(engine *e)
{
  const machine *m = e->m;
  int p = e->rec->args.size, ranks = m->places ? p : 0;
  RESERVE(e->where, e->where_cap, e->transfers);
  memset(e->where, 0xff, e->transfers * sizeof *e->where);
  e->heap_n = e->spare_n = e->flows = e->dirty_n = 0;
  e->order = e->stamp = 0;
  e->nodes = e->sockets = e->span = 0;
  for (int r = 0; r < ranks; r++) {
    if (m->place[r].node >= e->nodes) e->nodes = m->place[r].node + 1;
    if (m->place[r].socket >= e->sockets) e->sockets = m->place[r].socket + 1;
  }
  if (m->interconnect_bytes_per_s > 0) {
    RESERVE(e->lowest_socket, e->lowest_socket_cap, (size_t)e->nodes);
    for (int n = 0; n < e->nodes; n++) e->lowest_socket[n] = INT32_MAX;
    for (int r = 0; r < ranks; r++) {
      int32_t *lowest = &e->lowest_socket[m->place[r].node];
      if (m->place[r].socket < *lowest) *lowest = m->place[r].socket;
    }
    for (int r = 0; r < ranks; r++) {
      int above = m->place[r].socket - e->lowest_socket[m->place[r].node];
      if (above >= e->span) e->span = above + 1;
    }
  }
  e->resources = 2 * p + 2 * e->nodes + e->sockets + e->sockets * e->span;
  RESERVE(e->resource, e->resource_cap, (size_t)e->resources);
  for (int i = 0; i < e->resources; i++) e->resource[i] = (resource){.head = NONE};
}

static void cross(flow *f, int res, double weight)
{
  f->resource[f->crossed] = res;
  f->weight[f->crossed++] = weight;
}

/* The links that the platforms' plug-in lays: rates are bytes a second of traffic, and so are shares. Returns the
 * narrowest. */
static double cross_links(engine *e, flow *f, const message *m)
{
  const machine *to = e->m;
  const coll_place *x = &to->place[m->src], *y = &to->place[m->dst];
  int p = e->rec->args.size, nics = 2 * p, memories = nics + 2 * e->nodes, sockets = memories + e->sockets;
  double narrowest = to->core_bytes_per_s;
  cross(f, m->src, 1 / to->core_bytes_per_s);
  if (x->node != y->node) {
    if (to->nic_bytes_per_s > 0) {
      cross(f, nics + x->node, 1 / to->nic_bytes_per_s);
      cross(f, nics + e->nodes + y->node, 1 / to->nic_bytes_per_s);
      narrowest = fmin(narrowest, to->nic_bytes_per_s);
    }
    if (to->switch_bytes_per_s > 0) narrowest = fmin(narrowest, to->switch_bytes_per_s);
  } else if (x->socket != y->socket && to->interconnect_bytes_per_s > 0) {
    int way = x->socket * e->span + y->socket - e->lowest_socket[y->node];
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
static void cross_ports(engine *e, flow *f, const message *m, double s_per_byte)
{
  int p = e->rec->args.size;
  cross(f, m->src, 1);
  cross(f, p + m->dst, 1);
  f->most = DBL_MAX;
  if (!e->m->places || f->left <= 0) return;
  const coll_place *x = &e->m->place[m->src], *y = &e->m->place[m->dst];
  double speed = 1 / s_per_byte;
  if (e->m->nic_bytes_per_s > 0 && x->node != y->node) {
    cross(f, 2 * p + x->node, speed / e->m->nic_bytes_per_s);
    cross(f, 2 * p + e->nodes + y->node, speed / e->m->nic_bytes_per_s);
  }
  if (e->m->memory_bytes_per_s > 0 && x->node == y->node && x->cache != y->cache) {
    cross(f, 2 * p + 2 * e->nodes + x->socket, speed / e->m->memory_bytes_per_s);
    if (x->socket != y->socket) cross(f, 2 * p + 2 * e->nodes + y->socket, speed / e->m->memory_bytes_per_s);
  }
}

/* Makes the flow of a message and returns it; *latency: how long it waits before it uses any bandwidth. */
static int32_t flow_make(engine *e, int32_t id, double *latency)
{
  int32_t index;
  if (e->spare_n) index = e->spare[--e->spare_n];
  else {
    RESERVE(e->flow, e->flow_cap, e->flows + 1);
    index = (int32_t)e->flows++;
    e->flow[index].stamp = 0;
  }
  const message *m = &e->message[id];
  const machine_piece *c = price(e, m);
  flow *f = &e->flow[index];
  f->message = id;
  f->crossed = 0;
  f->rate = 0;
  bool shared = m->flags & TRANSFER;       /* no control bytes */
  double flowing = (double)m->bytes + (shared ? 0 : e->m->control_bytes);
  if (e->m->core_bytes_per_s > 0 && e->m->places) {
    /* The curve is that of a message, control bytes and all: what it takes beyond their flow is latency. */
    double most = ((double)m->bytes + e->m->control_bytes) * c->traffic / cross_links(e, f, m);
    *latency = fmax(LEAST_LATENCY_S, c->latency_s + (double)m->bytes * c->s_per_byte - most);
    f->left = flowing * c->traffic;
  } else {
    f->left = flowing * c->s_per_byte;
    *latency = c->latency_s;
    cross_ports(e, f, m, c->s_per_byte);
  }
  return index;
}

void fluid_launch(engine *e, int32_t id)
{
  message *m = &e->message[id];
  double latency;
  m->start = m->posted;
  m->flags |= STARTED;
  m->link = flow_make(e, id, &latency);
  engine_push(e, id, m->start + latency);
}

static void touch(engine *e, int res) { PUSH(e->dirty, e->dirty_n, e->dirty_cap, res); }

/* Lists of the flows on a resource hold flow · CROSSED + slot. */
static void flow_enter(engine *e, int32_t index)
{
  flow *f = &e->flow[index];
  for (int k = 0; k < f->crossed; k++) {
    resource *r = &e->resource[f->resource[k]];
    f->before[k] = NONE;
    f->next[k] = r->head;
    if (r->head != NONE) e->flow[r->head / CROSSED].before[r->head % CROSSED] = index * CROSSED + k;
    r->head = index * CROSSED + k;
    r->flows++;
  }
  touch(e, f->resource[0]);
}

static void flow_leave(engine *e, int32_t index)
{
  flow *f = &e->flow[index];
  for (int k = 0; k < f->crossed; k++) {
    resource *r = &e->resource[f->resource[k]];
    if (f->before[k] == NONE) r->head = f->next[k];
    else e->flow[f->before[k] / CROSSED].next[f->before[k] % CROSSED] = f->next[k];
    if (f->next[k] != NONE) e->flow[f->next[k] / CROSSED].before[f->next[k] % CROSSED] = f->before[k];
    if (--r->flows) touch(e, f->resource[k]);
  }
}

bool fluid_next(engine *e)
{
  if (e->heap_n) e->now = e->heap[0].time;
  return e->heap_n;
}

void fluid_events(engine *e)
{
  while (e->heap_n && e->heap[0].time <= e->now + close_to(e->now)) {
    event v = engine_pop(e);
    message *m = &e->message[v.id];
    int32_t index = m->link;
    if (v.time > e->now) e->now = v.time;
    if (!(m->flags & FLOWING) && e->flow[index].left > 0) {   /* the latency has passed */
      m->flags |= FLOWING;
      e->flow[index].since = v.time;
      flow_enter(e, index);
      continue;
    }
    if (m->flags & FLOWING) flow_leave(e, index);
    PUSH(e->spare, e->spare_n, e->spare_cap, index);
    engine_complete(e, v.id, v.time);
  }
}

/* All flows and resources that hang together with `res`: shares elsewhere do not change. */
static void reach(engine *e, int res)
{
  e->reached_n = e->solved_n = 0;
  e->resource[res].stamp = e->stamp;
  PUSH(e->reached, e->reached_n, e->reached_cap, res);
  for (size_t i = 0; i < e->reached_n; i++) {
    for (int32_t at = e->resource[e->reached[i]].head; at != NONE; at = e->flow[at / CROSSED].next[at % CROSSED]) {
      flow *f = &e->flow[at / CROSSED];
      if (f->stamp == e->stamp) continue;
      f->stamp = e->stamp;
      PUSH(e->solved, e->solved_n, e->solved_cap, at / CROSSED);
      for (int k = 0; k < f->crossed; k++) {
        if (e->resource[f->resource[k]].stamp == e->stamp) continue;
        e->resource[f->resource[k]].stamp = e->stamp;
        PUSH(e->reached, e->reached_n, e->reached_cap, f->resource[k]);
      }
    }
  }
}

static void fix(engine *e, flow *f, double share)
{
  f->fixed = true;
  f->share = share;
  for (int k = 0; k < f->crossed; k++) {
    resource *r = &e->resource[f->resource[k]];
    r->left -= f->weight[k] * share;
    r->demand -= f->weight[k];
    r->open--;
  }
}

/* Max-min shares: raise all rates together; who crosses the resource that fills up first stays there, and so on. */
static void fill(engine *e)
{
  for (size_t i = 0; i < e->reached_n; i++) {
    resource *r = &e->resource[e->reached[i]];
    r->left = 1;
    r->demand = 0;
    r->open = r->flows;
  }
  bool limits = false;
  for (size_t i = 0; i < e->solved_n; i++) {
    flow *f = &e->flow[e->solved[i]];
    f->fixed = false;
    if (f->most < DBL_MAX) limits = true;
    for (int k = 0; k < f->crossed; k++) e->resource[f->resource[k]].demand += f->weight[k];
  }
  size_t open = e->solved_n;
  double level = 0;
  while (open) {
    double least = DBL_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < e->reached_n; i++) {
      resource *r = &e->resource[e->reached[i]];
      if (!r->open) continue;
      e->reached[kept++] = e->reached[i];
      double share = r->left / r->demand;
      if (share < least) least = share;
    }
    e->reached_n = kept;
    if (least < level) least = level;     /* rounding; levels rise */
    size_t before_limits = open;
    for (size_t i = 0; limits && i < e->solved_n; i++) {
      flow *f = &e->flow[e->solved[i]];
      if (f->fixed || f->most >= least) continue;
      fix(e, f, f->most);
      open--;
    }
    if (open < before_limits) continue;
    level = least;
    for (size_t i = 0; i < kept; i++) {
      resource *r = &e->resource[e->reached[i]];
      if (!r->open || r->left > least * (1 + 1e-12) * r->demand) continue;
      for (int32_t at = r->head; at != NONE; at = e->flow[at / CROSSED].next[at % CROSSED]) {
        flow *f = &e->flow[at / CROSSED];
        if (f->fixed) continue;
        fix(e, f, least);
        open--;
      }
    }
  }
}

void fluid_settle(engine *e)
{
  e->stamp++;
  for (size_t d = 0; d < e->dirty_n; d++) {
    if (e->resource[e->dirty[d]].stamp == e->stamp) continue;
    reach(e, e->dirty[d]);
    if (e->solved_n == 1) {
      flow *f = &e->flow[e->solved[0]];
      double most = f->weight[0];
      for (int k = 1; k < f->crossed; k++) if (f->weight[k] > most) most = f->weight[k];
      f->share = fmin(1 / most, f->most);
    } else fill(e);
    for (size_t i = 0; i < e->solved_n; i++) {
      flow *f = &e->flow[e->solved[i]];
      if (f->share == f->rate) continue;
      f->left -= f->rate * (e->now - f->since);
      if (f->left < 0) f->left = 0;
      f->since = e->now;
      f->rate = f->share;
      engine_move(e, f->message, e->now + f->left / f->rate);
    }
  }
  e->dirty_n = 0;
}
