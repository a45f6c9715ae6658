#include "model/routes.h"

#include <stdlib.h>

#include "core/schedule/array.h"

const char *const topology_names[TOPOLOGY_KINDS] = { "switch", "torus", "fat_tree", "dragonfly" };

static int shape_most(topology_kind kind) {
  return kind == TOPOLOGY_TORUS ? TOPOLOGY_DIMS : kind == TOPOLOGY_SWITCH ? 0 : 3;
}

static int shape_least(topology_kind kind) { return kind == TOPOLOGY_TORUS ? 1 : shape_most(kind); }

int64_t topology_positions(const topology *t) {
  int64_t n = 1;
  int factors = t->kind == TOPOLOGY_FAT_TREE ? 2 : t->dims;
  for (int i = 0; i < factors && n <= TOPOLOGY_MAX_NODES; i++) n *= t->shape[i];
  return n;
}

/* The first link between groups. */
static int64_t dragonfly_global(const topology *t) { return (int64_t)t->shape[0] * t->shape[1] * t->shape[1]; }

int64_t topology_links(const topology *t) {
  switch (t->kind) {
    case TOPOLOGY_TORUS: return topology_positions(t) * 2 * t->dims;
    case TOPOLOGY_FAT_TREE: return (int64_t)t->shape[0] * t->shape[2] * 2;
    case TOPOLOGY_DRAGONFLY: return dragonfly_global(t) + (int64_t)t->shape[0] * t->shape[0];
    default: return 0;
  }
}

int topology_longest(const topology *t) {
  int hops = 0;
  switch (t->kind) {
    case TOPOLOGY_TORUS:
      for (int i = 0; i < t->dims; i++) hops += t->shape[i] / 2;
      return hops;
    case TOPOLOGY_FAT_TREE: return 2;
    case TOPOLOGY_DRAGONFLY: return 3;
    default: return 0;
  }
}

/* Link 2 · (position · dims + d) goes up in dimension d, the next one down. */
static int torus_route(const topology *t, int from, int to, int32_t *link) {
  int stride = 1, strides[TOPOLOGY_DIMS], n = 0;
  for (int d = t->dims - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= t->shape[d];
  }
  for (int d = 0; d < t->dims; d++) {
    int size = t->shape[d], at = from / strides[d] % size, up = to / strides[d] % size - at;
    if (up < 0) up += size;
    bool down = up > size - up;
    for (int left = down ? size - up : up; left; left--) {
      link[n++] = 2 * (from * t->dims + d) + down;
      int next = down ? (at ? at - 1 : size - 1) : (at + 1 < size ? at + 1 : 0);
      from += (next - at) * strides[d];
      at = next;
    }
  }
  return n;
}

/* Link leaf · uplinks + c goes up, the one as many further as there are of these goes down. */
static int fat_tree_route(const topology *t, int from, int to, int32_t *link) {
  int a = from / t->shape[1], b = to / t->shape[1], uplinks = t->shape[2];
  if (a == b) return 0;
  link[0] = a * uplinks + to % uplinks;
  link[1] = t->shape[0] * uplinks + b * uplinks + to % uplinks;
  return 2;
}

/* The router of group a with the link to group b. */
static int gateway(const topology *t, int a, int b) { return (b - a - 1 + t->shape[0]) % t->shape[0] % t->shape[1]; }

/* Link router · routers + i goes to the i-th of its group; behind them a · groups + b from group a to group b. */
static int dragonfly_route(const topology *t, int from, int to, int32_t *link) {
  int routers = t->shape[1], r = from / t->shape[2], s = to / t->shape[2], a = r / routers, b = s / routers, n = 0;
  if (a != b) {
    int out = a * routers + gateway(t, a, b);
    if (r != out) link[n++] = r * routers + out % routers;
    link[n++] = (int32_t)dragonfly_global(t) + a * t->shape[0] + b;
    r = b * routers + gateway(t, b, a);
  }
  if (r != s) link[n++] = r * routers + s % routers;
  return n;
}

int topology_route(const topology *t, int from, int to, int32_t *link) {
  switch (t->kind) {
    case TOPOLOGY_TORUS: return torus_route(t, from, to, link);
    case TOPOLOGY_FAT_TREE: return fat_tree_route(t, from, to, link);
    case TOPOLOGY_DRAGONFLY: return dragonfly_route(t, from, to, link);
    default: return 0;
  }
}

bool topology_links_nodes(const topology *t, int nodes) {
  int of_switch = t->kind == TOPOLOGY_FAT_TREE ? t->shape[1] : t->kind == TOPOLOGY_DRAGONFLY ? t->shape[2] : 1;
  if (t->kind == TOPOLOGY_SWITCH) return false;
  for (int n = 1; n < nodes; n++) {
    int32_t here = t->position ? t->position[n] : n, first = t->position ? t->position[0] : 0;
    if (here / of_switch != first / of_switch) return true;
  }
  return false;
}

double topology_rate(const topology *t, int32_t link) {
  return t->kind == TOPOLOGY_DRAGONFLY && link >= dragonfly_global(t) ? t->global_bytes_per_s : t->link_bytes_per_s;
}

bool topology_has_global(const topology *t) { return t->kind == TOPOLOGY_DRAGONFLY || t->kind == TOPOLOGY_FAT_TREE; }

bool topology_is_global(const topology *t, int32_t link) {
  if (t->kind == TOPOLOGY_FAT_TREE) return link < (int64_t)t->shape[0] * t->shape[2];
  return t->kind == TOPOLOGY_DRAGONFLY && link >= dragonfly_global(t);
}

double topology_latency_s(const topology *t, int links) {
  int further = t->kind == TOPOLOGY_TORUS ? links - 1 : links;
  return further > 0 ? further * t->hop_latency_s : 0;
}

/* ---- lines of a machine file ------------------------------------------------------------------------- */

bool topology_line(topology *t, const reader *r) {
  int kind = TOPOLOGY_TORUS, first = 4;
  while (kind < TOPOLOGY_KINDS && strcmp(r->word[1], topology_names[kind])) kind++;
  if (kind == TOPOLOGY_KINDS)
    return line_wrong(&r->line, "topology %.40s: choose torus, fat_tree or dragonfly", r->word[1]);
  if (t->kind) return line_wrong(&r->line, "topology: there is one above");
  if (!reader_number(r, 2, "HOP_LATENCY_S", reader_seconds, &t->hop_latency_s) ||
      !reader_number(r, 3, "LINK_BYTES_PER_S", reader_rate, &t->link_bytes_per_s))
    return false;
  t->global_bytes_per_s = t->link_bytes_per_s;
  if (kind == TOPOLOGY_DRAGONFLY &&
      !reader_number(r, first++, "GLOBAL_BYTES_PER_S", reader_rate, &t->global_bytes_per_s))
    return false;
  if (t->link_bytes_per_s <= 0 || t->global_bytes_per_s <= 0)
    return line_wrong(&r->line, "topology: its links move more than 0 bytes per second");
  t->kind = (topology_kind)kind;
  t->dims = r->words - first;
  int least = shape_least(t->kind), most = shape_most(t->kind);
  if (t->dims < least || t->dims > most)
    return line_wrong(&r->line, "topology %s: %d numbers say its shape; it needs %d to %d", topology_names[kind],
                      t->dims, least, most);
  for (int i = 0; i < t->dims; i++) {
    long long size = 0;
    if (!reader_whole(r, first + i, "a number of the shape", 1, TOPOLOGY_MAX_NODES, &size)) return false;
    t->shape[i] = (int)size;
  }
  if (topology_positions(t) > TOPOLOGY_MAX_NODES || topology_links(t) > TOPOLOGY_MAX_LINKS)
    return line_wrong(&r->line, "topology: at most %d positions and %d links", TOPOLOGY_MAX_NODES, TOPOLOGY_MAX_LINKS);
  if (topology_longest(t) > TOPOLOGY_MAX_LINE)
    return line_wrong(&r->line, "topology: routes cross at most %d links", TOPOLOGY_MAX_LINE);
  return true;
}

/* Where the next nodes sit. */
bool topology_positions_line(topology *t, const reader *r) {
  long long first = 0, count = 0, most = topology_positions(t);
  if (!t->kind) return line_wrong(&r->line, "positions: there is no topology line before it");
  if (!reader_whole(r, 1, "FIRST", 0, most - 1, &first) || !reader_whole(r, 2, "COUNT", 1, most - first, &count))
    return false;
  if (count > most - t->positions) return line_wrong(&r->line, "positions: more than the %lld that there are", most);
  for (; count; count--) PUSH(t->position, t->positions, t->position_cap, (int32_t)first++);
  return true;
}

void topology_free(topology *t) { free(t->position); }
