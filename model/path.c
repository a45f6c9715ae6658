#include "model/path.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/schedule/array.h"

enum { MAX_RESOURCES = 1 << 25 };          /* 1 GiB */
static const double MIN_LATENCY_S = 1e-12; /* as the plug-in: SimGrid weighs a flow without any differently */

static void count_sockets(link_paths *w) {
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

static void count_places(link_paths *w) {
  const machine *m = w->m;
  for (int r = 0; r < w->ranks; r++) {
    if (m->place[r].node >= w->nodes) w->nodes = m->place[r].node + 1;
    if (m->place[r].socket >= w->sockets) w->sockets = m->place[r].socket + 1;
  }
  if (m->inside.sockets) { /* a path may lead over sockets without ranks */
    w->span = m->inside.sockets;
    w->sockets = (w->sockets + w->span - 1) / w->span * w->span;
  } else if (m->interconnect_bytes_per_s > 0) count_sockets(w);
}

/* A link out and one in of every unit that has them; returns how many there are of all kinds. */
static size_t number_units(link_paths *w, size_t links) {
  const machine_inside *in = &w->m->inside;
  int caches = 0;
  for (int r = 0; r < w->ranks; r++)
    if (w->m->place[r].cache >= caches) caches = w->m->place[r].cache + 1;
  for (int i = -1; i < in->levels; i++) {
    double rate = i < 0 ? in->cache_bytes_per_s : in->level[i].bytes_per_s;
    if (rate <= 0) continue;
    int each = i < 0 ? 1 : in->level[i].caches, count = (caches + each - 1) / each;
    w->unit[w->units].caches = each;
    w->unit[w->units].level = i;
    w->unit[w->units].first = (int)links;
    w->unit[w->units].count = count;
    w->unit[w->units++].bytes_per_s = rate;
    links += 2 * (size_t)count;
  }
  w->across = (int)links;
  return links + (in->across_bytes_per_s > 0 ? 2 * (size_t)w->ranks : 0);
}

/* Links: one out of and one into each rank, then for each node, a memory for each socket, one from each socket to
 * each of the same node; then those of the inside of nodes, and those between nodes. */
const char *paths_prepare(link_paths *w, const machine *m, int ranks) {
  w->m = m;
  w->ranks = ranks;
  w->nodes = w->sockets = w->span = w->units = 0;
  w->longest = 2;
  if (m->places) count_places(w);
  size_t resources = 2 * ((size_t)ranks + (size_t)w->nodes) + (size_t)w->sockets * (1 + (size_t)w->span);
  if (m->places && resources <= MAX_RESOURCES) resources = number_units(w, resources);
  w->hops = 0;
  int within = (m->inside.across_bytes_per_s > 0 ? 2 : 0) + m->inside.longest;
  int between = 2 + (m->inside.has_nic_socket ? 2 * m->inside.longest : 0);
  if (m->places && m->topology.kind) {
    if (w->nodes > (m->topology.position ? m->topology.positions : topology_positions(&m->topology)))
      return "a node has no position in the machine's topology; give as many positions as there are nodes";
    if (topology_links_nodes(&m->topology, w->nodes)) {
      w->hops = (int)resources;
      resources += (size_t)topology_links(&m->topology);
      between += topology_longest(&m->topology);
    }
  }
  if (m->places && m->given.routes) {
    for (int a = 0; a < ranks; a++)
      for (int b = a + 1; b < ranks; b++)
        if (!given_find(&m->given, m->place[a].node, m->place[b].node) ||
            !given_find(&m->given, m->place[b].node, m->place[a].node))
          return "two nodes have no route between them; give one for every pair, and from each node to itself";
    w->hops = (int)resources;
    resources += m->given.links;
    between = within = 2 * m->given.longest;
  }
  /* Both ports and the memory, and what lies between; where links have no names, two NICs or two memories. */
  bool named = m->core_bytes_per_s > 0;
  if (m->places && named) w->longest = 3 + 2 * w->units + (between > within ? between : within);
  else if (m->places && (m->nic_bytes_per_s > 0 || m->memory_bytes_per_s > 0)) w->longest = 4;
  if (resources > MAX_RESOURCES)
    return "the machine's socket numbers are too large for a table of their links; number sockets from 0";
  w->resources = (int)resources;
  return NULL;
}

static inline void cross(link_path *v, crossing *crossed, int resource, double weight) {
  crossed[v->crossed].resource = resource;
  crossed[v->crossed++].weight = weight;
}

/* The narrowest link so far. */
typedef struct {
  link_path *path;
  crossing *crossed;
  double narrowest;
} laid;

static inline void pass(laid *l, int resource, double bytes_per_s) {
  cross(l->path, l->crossed, resource, 1 / bytes_per_s);
  l->narrowest = fmin(l->narrowest, bytes_per_s);
}

/* Out of each unit that the other is not in, or into them. */
static void pass_units(const link_paths *w, const coll_place *me, const coll_place *other, bool in, laid *l) {
  for (int i = 0; i < w->units; i++) {
    int k = in ? w->units - 1 - i : i, unit = me->cache / w->unit[k].caches;
    if (unit == other->cache / w->unit[k].caches) continue;
    pass(l, w->unit[k].first + in * w->unit[k].count + unit, w->unit[k].bytes_per_s);
  }
}

static void pass_sockets(const link_paths *w, int node, int from, int to, laid *l) {
  const machine *m = w->m;
  int first = 2 * w->ranks + 2 * w->nodes + w->sockets;
  while (from != to && m->interconnect_bytes_per_s > 0) {
    int next = inside_next(&m->inside, from, to);
    int lowest = m->inside.sockets ? next / w->span * w->span : w->lowest_socket[node];
    pass(l, first + from * w->span + next - lowest, m->interconnect_bytes_per_s);
    from = next;
  }
}

/* The socket of this node that the NIC is on; where none is, the rank's own. */
static int nic_of(const machine *m, const coll_place *rank) {
  const machine_inside *in = &m->inside;
  return in->has_nic_socket ? rank->socket - rank->socket % in->sockets + in->nic_socket : rank->socket;
}

/* The links between two nodes, and what they add to the latency. */
static void pass_topology(const link_paths *w, int from, int to, laid *l) {
  const topology *t = &w->m->topology;
  int32_t link[TOPOLOGY_MAX_LINE];
  if (t->position) from = t->position[from], to = t->position[to];
  int n = topology_route(t, from, to, link);
  for (int i = 0; i < n; i++) pass(l, w->hops + link[i], topology_rate(t, link[i]));
  l->path->latency_s += topology_latency_s(t, n);
}

/* Over given links, and part of it back; the latency is the route's. A link that both routes cross is crossed once. Rates are counted in
 * messages' weights: even shares of these are SimGrid's. */
static void cross_given(const link_paths *w, const message *m, link_path *v, crossing *crossed) {
  const given_network *g = &w->m->given;
  int from = w->m->place[m->src].node, to = w->m->place[m->dst].node;
  const given_route *there = given_find(g, from, to), *back = given_find(g, to, from);
  laid l = { v, crossed, w->m->core_bytes_per_s };
  pass(&l, m->src, w->m->core_bytes_per_s);
  double weighs = there->latency_s > 0 ? there->latency_s : 1;
  for (int i = 0; i < there->links; i++) {
    int32_t link = g->crossed[there->first + (size_t)i];
    const given_link *is = &g->link[link];
    if (there->latency_s > 0) weighs += g->weight_bytes / is->bytes_per_s;
    if (is->fatpipe) v->most = fmin(v->most, is->bytes_per_s);
    else pass(&l, w->hops + link, is->bytes_per_s);
  }
  for (int i = 0; i < back->links && g->back_part > 0; i++) {
    int32_t link = g->crossed[back->first + (size_t)i];
    if (g->link[link].fatpipe) continue;
    double weight = g->back_part / g->link[link].bytes_per_s;
    int k = 0;
    while (k < v->crossed && crossed[k].resource != w->hops + link) k++;
    if (k < v->crossed) crossed[k].weight += weight;
    else cross(v, crossed, w->hops + link, weight);
  }
  v->latency_s = there->latency_s;
  for (int k = 0; k < v->crossed; k++) crossed[k].weight /= weighs;
  if (g->window_bytes > 0 && v->latency_s > 0) v->most = fmin(v->most, g->window_bytes / (2 * v->latency_s));
  v->most *= weighs;
  v->left *= weighs;
}

/* The links that the platforms' plug-in lays: rates are bytes per second of traffic, and so are shares. Returns the
 * narrowest. What crosses a segment is moved by one core: the other's links stay free. */
static double cross_links(const link_paths *w, const message *m, link_path *v, crossing *crossed) {
  const machine *to = w->m;
  const coll_place *x = &to->place[m->src], *y = &to->place[m->dst];
  int p = w->ranks, nics = 2 * p, memories = nics + 2 * w->nodes;
  laid l = { v, crossed, to->core_bytes_per_s };
  bool across = x->node == y->node && x->socket != y->socket && to->inside.across_bytes_per_s > 0;
  bool sends = !(m->flags & TRANSFER) || m->flags & SENT, receives = !(m->flags & TRANSFER) || m->flags & RECEIVED;
  if (sends) pass(&l, m->src, to->core_bytes_per_s);
  if (w->units) pass_units(w, x, y, false, &l);
  if (across && sends) pass(&l, w->across + m->src, to->inside.across_bytes_per_s);
  if (x->node != y->node) {
    int near = nic_of(to, x), there = nic_of(to, y);
    pass_sockets(w, x->node, x->socket, near, &l);
    if (to->nic_bytes_per_s > 0) {
      pass(&l, nics + x->node, to->nic_bytes_per_s);
      pass(&l, nics + w->nodes + y->node, to->nic_bytes_per_s);
    }
    if (w->hops) pass_topology(w, x->node, y->node, &l);
    pass_sockets(w, y->node, there, y->socket, &l);
    v->latency_s += to->inside.nic_other_socket_s * ((near != x->socket) + (there != y->socket));
    if (to->switch_bytes_per_s > 0) l.narrowest = fmin(l.narrowest, to->switch_bytes_per_s);
  } else if (x->socket != y->socket) pass_sockets(w, y->node, x->socket, y->socket, &l);
  if (to->memory_bytes_per_s > 0) pass(&l, memories + y->socket, to->memory_bytes_per_s);
  if (across && receives) pass(&l, w->across + p + m->dst, to->inside.across_bytes_per_s);
  if (w->units) pass_units(w, y, x, true, &l);
  if (receives) pass(&l, p + m->dst, to->core_bytes_per_s);
  /* The switch is wide enough for all at once, but not for one to be faster: where NICs are slower, it limits nobody. */
  bool limits = to->switch_bytes_per_s > 0 &&
                !(to->nic_bytes_per_s > 0 && to->nic_bytes_per_s < to->switch_bytes_per_s);
  if (x->node != y->node && limits) v->most = to->switch_bytes_per_s;
  return l.narrowest;
}

/* Where the machine does not name its links: rates are shares of the port. */
static void cross_ports(const link_paths *w, const message *m, double s_per_byte, link_path *v, crossing *crossed) {
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

link_path paths_lay(const link_paths *w, const message *m, crossing *crossed) {
  const machine_piece *c = message_price(m, w->m);
  double spent_s = message_spent(m, c, w->m);
  bool shared = m->flags & TRANSFER; /* no control bytes */
  double flowing = (double)m->bytes + (shared ? 0 : w->m->control_bytes);
  link_path v = { .most = DBL_MAX };
  if (w->m->given.routes && w->m->places) {
    v.left = flowing * c->traffic;
    cross_given(w, m, &v, crossed);
    v.latency_s = fmax(MIN_LATENCY_S, v.latency_s * c->latency_s);
  } else if (w->m->core_bytes_per_s > 0 && w->m->places) {
    /* Alone it takes its curve's time, control bytes and all: what that is beyond their flow is latency. */
    double most = flowing * c->traffic / cross_links(w, m, &v, crossed);
    v.latency_s = fmax(MIN_LATENCY_S, v.latency_s + c->latency_s + (double)m->bytes * c->s_per_byte - spent_s - most);
    v.left = flowing * c->traffic;
  } else {
    v.left = flowing * c->s_per_byte;
    v.latency_s = fmax(0, c->latency_s - spent_s);
    cross_ports(w, m, c->s_per_byte, &v, crossed);
  }
  return v;
}

const char *paths_name(const link_paths *w, int32_t link, char *text, size_t size) {
  int p = w->ranks, nics = 2 * p, memories = nics + 2 * w->nodes, sockets = memories + w->sockets;
  if (w->hops && link >= w->hops) {
    snprintf(text, size, "link %d of the network", link - w->hops);
    return "network link";
  }
  if (link < nics) {
    snprintf(text, size, "port of rank %d, %s", link % p, link < p ? "out" : "in");
    return "port";
  }
  if (link < memories) {
    int n = link - nics;
    snprintf(text, size, "NIC of node %d, %s", n % w->nodes, n < w->nodes ? "out" : "in");
    return "NIC";
  }
  if (link < sockets) {
    snprintf(text, size, "memory of socket %d", link - memories);
    return "memory";
  }
  if (link < sockets + w->sockets * w->span) {
    int from = (link - sockets) / w->span, lowest = from / w->span * w->span;
    for (int n = 0; !w->m->inside.sockets && n < w->nodes; n++) /* the node that it is of begins last before it */
      if (w->lowest_socket[n] <= from && (!n || w->lowest_socket[n] > lowest)) lowest = w->lowest_socket[n];
    snprintf(text, size, "socket %d to socket %d", from, lowest + (link - sockets) % w->span);
    return "interconnect";
  }
  for (int i = 0; i < w->units; i++) {
    int n = link - w->unit[i].first, count = w->unit[i].count;
    if (n < 0 || n >= 2 * count) continue;
    const char *name = w->unit[i].level < 0 ? "cache" : w->m->inside.level[w->unit[i].level].name;
    snprintf(text, size, "%s %d, %s", name, n % count, n < count ? "out" : "in");
    return name;
  }
  snprintf(text, size, "rank %d to other sockets, %s", (link - w->across) % p, link - w->across < p ? "out" : "in");
  return "across";
}

void paths_free(link_paths *w) { free(w->lowest_socket); }
