#include "core/nonblocking/builder.h"

#include <stdlib.h>

#include "core/schedule/array.h"

void needs_add(needs *w, uint32_t node) { PUSH(w->node, w->n, w->cap, node); }

/* Whom this one waits for by an edge of its own stands in its list: who waits for it need not wait for them. */
static void leave_to(builder *b, uint32_t node) {
  for (size_t e = b->before_first[node]; e < b->before_first[node + 1]; e++) {
    uint32_t before = b->before[e] & ~EDGE_POSTED;
    b->mark[before].posted = 0;
    if (before == b->before[e]) b->mark[before].through = 0;
  }
}

/* Leaves those that no other one of the list implies, and none twice. */
static void reduce(builder *b, uint32_t me, needs *w) {
  size_t kept = 0;
  for (size_t i = 0; i < w->n; i++) {
    uint32_t k = w->node[i];
    if (k & EDGE_POSTED) b->mark[k & ~EDGE_POSTED].posted = me + 1;
    else b->mark[k].through = me + 1;
  }
  for (size_t i = 0; i < w->n; i++)
    if (!(w->node[i] & EDGE_POSTED)) leave_to(b, w->node[i]);
  for (size_t i = 0; i < w->n; i++) {
    uint32_t k = w->node[i];
    edge_mark *m = &b->mark[k & ~EDGE_POSTED];
    bool posted = k & EDGE_POSTED;
    if ((posted ? m->posted : m->through) != me + 1 || (posted && m->through == me + 1)) continue;
    if (posted) m->posted = 0;
    else m->through = m->posted = 0;
    w->node[kept++] = k;
  }
  w->n = kept;
}

uint32_t builder_add(builder *b, plan_node node, needs *w) {
  uint32_t me = (uint32_t)b->nodes;
  RESERVE_ZEROED(b->mark, b->mark_cap, b->nodes + 1);
  RESERVE_ZEROED(b->before_first, b->before_first_cap, b->nodes + 2);
  reduce(b, me, w);
  PUSH(b->node, b->nodes, b->node_cap, node);
  RESERVE(b->before, b->before_cap, b->edges + w->n);
  for (size_t i = 0; i < w->n; i++) b->before[b->edges++] = w->node[i];
  b->before_first[b->nodes] = b->edges;
  w->n = 0;
  return me;
}

uint32_t builder_join(builder *b, needs *w) {
  if (w->n == 1) return w->node[--w->n];
  return builder_add(b, (plan_node){ .kind = NODE_JOIN }, w);
}

bool builder_waits(const builder *b, uint32_t node, uint32_t before) {
  for (size_t e = b->before_first[node]; e < b->before_first[node + 1]; e++)
    if (b->before[e] == before) return true;
  return false;
}

coll_plan *builder_plan(const builder *b) {
  size_t nodes = sizeof *b->node * b->nodes;
  coll_plan *p = array_grow(NULL, sizeof *p + nodes + sizeof(uint32_t) * b->edges);
  uint32_t *edge = (uint32_t *)(p->node + b->nodes), begin = 0;
  *p = (coll_plan){ .nodes = (uint32_t)b->nodes };
  if (b->nodes) memcpy(p->node, b->node, nodes);
  for (size_t i = 0; i < b->nodes; i++) p->messages += node_is_message(&b->node[i]);
  for (size_t e = 0; e < b->edges; e++) p->node[b->before[e] & ~EDGE_POSTED].edges++;
  /* While they are filled in, a node's `edges` is where its next one goes: from where they begin to where they end. */
  for (size_t i = 0; i < b->nodes; i++) {
    uint32_t n = p->node[i].edges;
    p->node[i].edges = begin;
    begin += n;
  }
  for (uint32_t i = 0; i < b->nodes; i++)
    for (size_t e = b->before_first[i]; e < b->before_first[i + 1]; e++) {
      uint32_t from = b->before[e];
      edge[p->node[from & ~EDGE_POSTED].edges++] = i | (from & EDGE_POSTED);
    }
  return p;
}

void builder_free(builder *b) {
  free(b->node);
  free(b->before);
  free(b->before_first);
  free(b->mark);
}
