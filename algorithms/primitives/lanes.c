#include "primitives/lanes.h"

int coll_smallest_node(const coll_grouping *nodes) {
  int least = nodes->first[1] - nodes->first[0];
  for (int k = 1; k < nodes->groups; k++) {
    int ranks = nodes->first[k + 1] - nodes->first[k];
    least = ranks < least ? ranks : least;
  }
  return least;
}

const char *coll_lanes_supports(const coll_args *a, long lanes) {
  coll_grouping nodes;
  coll_grouping_make(&nodes, COLL_LEVEL_NODE, a->size, a->place);
  bool fine = lanes <= coll_smallest_node(&nodes);
  coll_grouping_free(&nodes);
  return fine ? NULL : "a node has fewer ranks than lanes; take fewer lanes";
}

coll_lanes *coll_lanes_make(coll_ctx *c, long lanes) {
  coll_lanes *l = coll_keep(c, sizeof *l);
  const coll_grouping *nodes = &c->levels[COLL_LEVEL_NODE];
  int node = nodes->group_of[c->rank];
  *l = (coll_lanes){ .nodes = nodes, .node = node, .lanes = lanes ? (int)lanes : coll_smallest_node(nodes) };
  coll_sub(c, 1, nodes->member + nodes->first[node], nodes->first[node + 1] - nodes->first[node], &l->within);
  l->has_lane = l->within.rank < l->lanes;
  if (!l->has_lane) return l;
  int *lane = coll_keep(c, sizeof(int) * (size_t)nodes->groups);
  for (int k = 0; k < nodes->groups; k++) lane[k] = nodes->member[nodes->first[k] + l->within.rank];
  coll_sub(c, 2, lane, nodes->groups, &l->across);
  return l;
}

void coll_lanes_reduce(coll_lanes *l, void *data, size_t n) {
  coll_ctx *g = &l->within;
  coll_span own = l->has_lane ? coll_block(n, l->lanes, g->rank) : (coll_span){ 0, 0 };
  void *other = own.count ? coll_scratch(g, own.count) : NULL;
  for (int i = 1; i < g->size; i++) {
    int to = (g->rank + i) % g->size, from = (g->rank + g->size - i) % g->size;
    coll_span part = to < l->lanes ? coll_block(n, l->lanes, to) : (coll_span){ 0, 0 };
    coll_req coming = own.count ? coll_irecv(g, other, own.count, from) : 0;
    if (part.count) coll_send(g, coll_at(g, data, part.first), part.count, to);
    if (!own.count) continue;
    coll_wait(g, &coming);
    coll_reduce(g, other, coll_at(g, data, own.first), own.count);
  }
}

void coll_lanes_spread(coll_ctx *g, void *data, coll_cut cut, int except) {
  coll_span own = cut.block(cut.how, g->rank);
  for (int i = 1; i < g->size; i++) {
    int to = (g->rank + i) % g->size, from = (g->rank + g->size - i) % g->size;
    coll_span part = cut.block(cut.how, from);
    bool takes = part.count && g->rank != except;
    coll_req coming = takes ? coll_irecv(g, coll_at(g, data, part.first), part.count, from) : 0;
    if (own.count && to != except) coll_send(g, coll_at(g, data, own.first), own.count, to);
    if (takes) coll_wait(g, &coming);
  }
}

static coll_span even_block(const void *how, int i) {
  const coll_lane_cut *k = how;
  return i < k->lanes ? coll_block(k->n, k->lanes, i) : (coll_span){ 0, 0 };
}

coll_cut coll_lanes_even(const coll_lane_cut *k) { return (coll_cut){ even_block, k }; }
