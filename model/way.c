#include "model/way.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/schedule/array.h"

enum { MOST_RESOURCES = 1 << 25 };           /* 1 GiB */
static const double LEAST_LATENCY_S = 1e-12; /* as the plug-in: SimGrid weighs a flow without any differently */

static void count_sockets(ways *w) {
  const machine *m = w->m;
  RESERVE(w->lowest_socket, w->lowest_socket_cap, (size_t)w->nodes);
  for (int n = 0; n < w->nodes; n++) w->lowest_socket[n] = INT32_MAX;
  for (int r = 0; r < w->ranks; r++) {
    int32_t *lowest = &w->lowest_socket[m->place[r].node];
    if (m->place[r].socket < *lowest) *lowest = m->place[r].socket;
  }
  for (int r = 0; r < w->ranks; r++) {
    int above = m->place[r].socket - w->lowest_socket[m->place[r].node];
    if (above >= w->span) w->span = above + 1;
  }
}

/* Links: a way out and a way in for each rank, then for each node, a memory for each socket, a way from each socket to
 * each of the same node. */
const char *ways_prepare(ways *w, const machine *m, int ranks) {
  w->m = m;
  w->ranks = ranks;
  w->nodes = w->sockets = w->span = 0;
  w->longest = 2;
  if (m->places) {
    for (int r = 0; r < ranks; r++) {
      if (m->place[r].node >= w->nodes) w->nodes = m->place[r].node + 1;
      if (m->place[r].socket >= w->sockets) w->sockets = m->place[r].socket + 1;
    }
    if (m->interconnect_bytes_per_s > 0) count_sockets(w);
    w->longest = 5; /* both ports, two NICs and the memory */
  }
  size_t resources = 2 * ((size_t)ranks + (size_t)w->nodes) + (size_t)w->sockets * (1 + (size_t)w->span);
  if (resources > MOST_RESOURCES)
    return "the machine's sockets are numbered so widely that their links cannot be held; number them from 0 up";
  w->resources = (int)resources;
  return NULL;
}

static inline void cross(way *v, crossing *crossed, int resource, double weight) {
  crossed[v->crossed].resource = resource;
  crossed[v->crossed++].weight = weight;
}

/* The links that the platforms' plug-in lays: rates are bytes a second of traffic, and so are shares. Returns the
 * narrowest. */
static double cross_links(const ways *w, const message *m, way *v, crossing *crossed) {
  const machine *to = w->m;
  const coll_place *x = &to->place[m->src], *y = &to->place[m->dst];
  int p = w->ranks, nics = 2 * p, memories = nics + 2 * w->nodes, sockets = memories + w->sockets;
  double narrowest = to->core_bytes_per_s;
  cross(v, crossed, m->src, 1 / to->core_bytes_per_s);
  if (x->node != y->node) {
    if (to->nic_bytes_per_s > 0) {
      cross(v, crossed, nics + x->node, 1 / to->nic_bytes_per_s);
      cross(v, crossed, nics + w->nodes + y->node, 1 / to->nic_bytes_per_s);
      narrowest = fmin(narrowest, to->nic_bytes_per_s);
    }
    if (to->switch_bytes_per_s > 0) narrowest = fmin(narrowest, to->switch_bytes_per_s);
  } else if (x->socket != y->socket && to->interconnect_bytes_per_s > 0) {
    int between = x->socket * w->span + y->socket - w->lowest_socket[y->node];
    cross(v, crossed, sockets + between, 1 / to->interconnect_bytes_per_s);
    narrowest = fmin(narrowest, to->interconnect_bytes_per_s);
  }
  if (to->memory_bytes_per_s > 0) {
    cross(v, crossed, memories + y->socket, 1 / to->memory_bytes_per_s);
    narrowest = fmin(narrowest, to->memory_bytes_per_s);
  }
  cross(v, crossed, p + m->dst, 1 / to->core_bytes_per_s);
  /* The switch is wide enough for all at once, but not for one to be faster. */
  if (x->node != y->node && to->switch_bytes_per_s > 0) v->most = to->switch_bytes_per_s;
  return narrowest;
}

/* Where the machine does not name its links: rates are shares of the port. */
static void cross_ports(const ways *w, const message *m, double s_per_byte, way *v, crossing *crossed) {
  int p = w->ranks;
  cross(v, crossed, m->src, 1);
  cross(v, crossed, p + m->dst, 1);
  if (!w->m->places || v->left <= 0) return;
  const coll_place *x = &w->m->place[m->src], *y = &w->m->place[m->dst];
  double speed = 1 / s_per_byte;
  if (w->m->nic_bytes_per_s > 0 && x->node != y->node) {
    cross(v, crossed, 2 * p + x->node, speed / w->m->nic_bytes_per_s);
    cross(v, crossed, 2 * p + w->nodes + y->node, speed / w->m->nic_bytes_per_s);
  }
  if (w->m->memory_bytes_per_s > 0 && x->node == y->node && x->cache != y->cache) {
    cross(v, crossed, 2 * p + 2 * w->nodes + x->socket, speed / w->m->memory_bytes_per_s);
    if (x->socket != y->socket) cross(v, crossed, 2 * p + 2 * w->nodes + y->socket, speed / w->m->memory_bytes_per_s);
  }
}

way ways_lay(const ways *w, const message *m, crossing *crossed) {
  const machine_piece *c = machine_price(w->m, m->src, m->dst, m->bytes);
  bool shared = m->flags & TRANSFER; /* no control bytes */
  double flowing = (double)m->bytes + (shared ? 0 : w->m->control_bytes);
  way v = { .most = DBL_MAX };
  if (w->m->core_bytes_per_s > 0 && w->m->places) {
    /* The curve is that of a message, control bytes and all: what it takes beyond their flow is latency. */
    double most = ((double)m->bytes + w->m->control_bytes) * c->traffic / cross_links(w, m, &v, crossed);
    v.latency_s = fmax(LEAST_LATENCY_S, c->latency_s + (double)m->bytes * c->s_per_byte - most);
    v.left = flowing * c->traffic;
  } else {
    v.left = flowing * c->s_per_byte;
    v.latency_s = c->latency_s;
    cross_ports(w, m, c->s_per_byte, &v, crossed);
  }
  return v;
}

void ways_free(ways *w) { free(w->lowest_socket); }
