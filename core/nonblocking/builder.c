#include "core/nonblocking/builder.h"

#include <stdlib.h>

#include "core/schedule/array.h"

void needs_add(needs *w, uint32_t node) { PUSH(w->node, w->n, w->cap, node); }

/* Leaves those that are not through by another's being through: no node twice, none that another one waits for itself. */
static void reduce(builder *b, uint32_t me, needs *w) {
  size_t kept = 0;
  for (size_t i = 0; i < w->n; i++) {
    uint32_t k = w->node[i];
    if (!(k & EDGE_POSTED)) b->mark[k] = me + 1;
  }
  for (size_t i = 0; i < w->n; i++) {
    uint32_t k = w->node[i];
    if (k & EDGE_POSTED) continue;
    for (size_t e = b->before_first[k]; e < b->before_first[k + 1]; e++)
      if (!(b->before[e] & EDGE_POSTED)) b->mark[b->before[e]] = 0;
  }
  for (size_t i = 0; i < w->n; i++) {
    uint32_t k = w->node[i];
    bool posted = k & EDGE_POSTED, needed = b->mark[k & ~EDGE_POSTED] == me + 1;
    if (posted == needed) continue; /* who is to be through has been posted; or it is there, or implied, already */
    if (!posted) b->mark[k] = 0;
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
  b->joins++;
  return builder_add(b, (plan_node){ .kind = NODE_JOIN }, w);
}

bool builder_waits(const builder *b, uint32_t node, uint32_t before) {
  for (size_t e = b->before_first[node]; e < b->before_first[node + 1]; e++)
    if (b->before[e] == before) return true;
  return false;
}

coll_plan *builder_plan(const builder *b) {
  size_t nodes = sizeof *b->node * b->nodes, firsts = sizeof(uint32_t) * (b->nodes + 1);
  coll_plan *p = array_grow(NULL, sizeof *p + nodes + firsts + sizeof(uint32_t) * b->edges);
  uint32_t *first = (uint32_t *)((char *)p->node + nodes), *edge = first + b->nodes + 1;
  *p = (coll_plan){ .nodes = (uint32_t)b->nodes, .joins = (uint32_t)b->joins, .first = first, .edge = edge };
  for (size_t i = 0; i < b->nodes; i++) p->messages += node_is_message(&b->node[i]);
  if (b->nodes) memcpy(p->node, b->node, nodes);
  memset(first, 0, firsts);
  for (size_t e = 0; e < b->edges; e++) first[(b->before[e] & ~EDGE_POSTED) + 1]++;
  for (size_t i = 0; i < b->nodes; i++) first[i + 1] += first[i];
  /* While they are filled in, first[i] is where i's next edge goes: in the end where i + 1's begin. */
  for (uint32_t i = 0; i < b->nodes; i++)
    for (size_t e = b->before_first[i]; e < b->before_first[i + 1]; e++) {
      uint32_t from = b->before[e];
      edge[first[from & ~EDGE_POSTED]++] = i | (from & EDGE_POSTED);
    }
  memmove(first + 1, first, firsts - sizeof *first);
  first[0] = 0;
  return p;
}

void builder_free(builder *b) {
  free(b->node);
  free(b->before);
  free(b->before_first);
  free(b->mark);
}
