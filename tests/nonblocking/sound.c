#include "tests/nonblocking/sound.h"

#include <stdlib.h>
#include <string.h>

#include "core/schedule/array.h"

/* Per node, a bit for each node that is through, or that has been posted, before it begins. */
typedef struct {
  const coll_plan *plan;
  size_t words;
  uint64_t *through, *posted;
} order;

static uint64_t *row(const order *o, uint64_t *of, uint32_t node) { return of + node * o->words; }
static bool has(const order *o, uint64_t *of, uint32_t node, uint32_t before) {
  return row(o, of, node)[before / 64] >> before % 64 & 1;
}

static void take_over(const order *o, uint64_t *of, uint32_t node, uint32_t before) {
  for (size_t w = 0; w < o->words; w++) row(o, of, node)[w] |= row(o, of, before)[w];
}

/* Nodes stand in the order of the text and edges go forward, so one pass will do. */
static void close_order(order *o, const uint32_t *without) {
  const coll_plan *g = o->plan;
  for (uint32_t u = 0; u < g->nodes; u++)
    for (plan_edges e = plan_edges_of(g, u); e.at < e.end; e.at++) {
      uint32_t v = *e.at & ~EDGE_POSTED;
      if (e.at == without) continue;
      take_over(o, o->through, v, u);
      take_over(o, o->posted, v, u);
      row(o, o->posted, v)[u / 64] |= (uint64_t)1 << u % 64;
      if (!(*e.at & EDGE_POSTED)) row(o, o->through, v)[u / 64] |= (uint64_t)1 << u % 64;
    }
}

/* The first node that the text begins after this one is through. */
static uint32_t until(const plan_node *n, uint32_t me) { return node_is_message(n) ? n->until : me + 1; }

static bool meet(int a, uint64_t a_off, int b, uint64_t b_off, const plan_node *m, const plan_node *n) {
  return a == b && a_off < b_off + n->bytes && b_off < a_off + m->bytes;
}

/* Both touch the same bytes, and one of them writes. A message's only place is what it reads or writes; others read one and write one. */
static bool conflict(const plan_node *m, const plan_node *n) {
  if (m->kind == NODE_JOIN || n->kind == NODE_JOIN) return false;
  bool m_work = !node_is_message(m), n_work = !node_is_message(n);
  bool m_writes = m->kind == NODE_RECV, n_writes = n->kind == NODE_RECV;
  return ((m_writes || n_writes) && meet(m->buf, m->off, n->buf, n->off, m, n)) ||
         (n_work && meet(m->buf, m->off, n->buf2, n->off2, m, n)) ||
         (m_work && meet(m->buf2, m->off2, n->buf, n->off, m, n)) ||
         (m_work && n_work && meet(m->buf2, m->off2, n->buf2, n->off2, m, n));
}

static bool same_channel(const plan_node *m, const plan_node *n) {
  return node_is_message(m) && m->kind == n->kind && m->peer == n->peer && m->label == n->label;
}

static const char *fault_of_pair(order *o, uint32_t u, uint32_t v) {
  const plan_node *m = &o->plan->node[u], *n = &o->plan->node[v];
  bool after = has(o, o->through, v, u), ends_before = until(m, u) <= v;
  if (after && !ends_before) return "waits for what the text does not wait for";
  if (m->kind == NODE_JOIN || n->kind == NODE_JOIN) return NULL;
  if (conflict(m, n) && !after) return "two that touch the same bytes have no order";
  if (same_channel(m, n) && !has(o, o->posted, v, u)) return "two messages of a channel may change places";
  bool empty = (node_is_message(m) && !m->bytes) || (node_is_message(n) && !n->bytes);
  if (empty && ends_before && !after) return "an empty message has lost its order";
  return NULL;
}

const char *plan_fault(const coll_plan *g, const uint32_t *without) {
  order o = { .plan = g, .words = g->nodes / 64 + 1 };
  size_t bytes = sizeof *o.through * o.words * (g->nodes + 1);
  o.through = memset(array_grow(NULL, bytes), 0, bytes);
  o.posted = memset(array_grow(NULL, bytes), 0, bytes);
  close_order(&o, without);
  const char *fault = NULL;
  for (uint32_t v = 0; v < g->nodes && !fault; v++)
    for (uint32_t u = 0; u < v && !fault; u++) fault = fault_of_pair(&o, u, v);
  for (uint32_t u = 0; u < g->nodes && !fault; u++)
    for (plan_edges e = plan_edges_of(g, u); e.at < e.end; e.at++)
      if ((*e.at & ~EDGE_POSTED) <= u) fault = "an edge goes backwards";
  free(o.through);
  free(o.posted);
  return fault;
}
