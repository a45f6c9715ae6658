/* One call's nodes begin as soon as those that they wait for are through. */
#include "core/nonblocking/playing.h"
#include "core/runtime/local.h"
#include "core/runtime/port.h"

/* ---- what is due ------------------------------------------------------------------------------------ */

/* A heap. */
static void due_add(due *d, uint32_t node) {
  uint32_t i = d->n++;
  for (; i && d->node[(i - 1) / 2] > node; i = (i - 1) / 2) d->node[i] = d->node[(i - 1) / 2];
  d->node[i] = node;
}

static uint32_t due_take(due *d) {
  uint32_t first = d->node[0], moved = d->node[--d->n], i = 0;
  for (uint32_t child; (child = 2 * i + 1) < d->n; i = child) {
    if (child + 1 < d->n && d->node[child + 1] < d->node[child]) child++;
    if (moved <= d->node[child]) break;
    d->node[i] = d->node[child];
  }
  d->node[i] = moved;
  return first;
}

/* ---- who waits for whom ----------------------------------------------------------------------------- */

static void may_begin(coll_playing *p, uint32_t node) {
  due_add(node_is_message(&p->plan->node[node]) ? &p->messages : &p->work, node);
}

/* Those that wait for the node's being posted, or for its being through. */
static void let_go(coll_playing *p, uint32_t node, uint32_t kind) {
  for (plan_edges e = plan_edges_of(p->plan, node); e.at < e.end; e.at++) {
    uint32_t other = *e.at & ~EDGE_POSTED;
    if ((*e.at & EDGE_POSTED) == kind && !--p->waits_for[other]) may_begin(p, other);
  }
}

static void is_through(coll_playing *p, uint32_t node) {
  p->waits_for[node] = PLAYED;
  p->left--;
  while (p->first < p->plan->nodes && p->waits_for[p->first] == PLAYED) p->first++;
  let_go(p, node, 0);
}

void playing_part_is_through(coll_playing *p, uint32_t node) {
  if (--p->waits_for[node]) return;
  if (p->plan->node[node].kind == NODE_RECV) requests_received(&p->requests, p->plan->node[node].peer);
  p->outstanding--;
  is_through(p, node);
}

void playing_reset(coll_playing *p) {
  const coll_plan *g = p->plan;
  p->left = g->nodes;
  p->first = p->outstanding = 0;
  memset(p->waits_for, 0, sizeof *p->waits_for * g->nodes);
  for (plan_edges e = plan_all_edges(g); e.at < e.end; e.at++) p->waits_for[*e.at & ~EDGE_POSTED]++;
  for (uint32_t i = 0; i < g->nodes; i++)
    if (!p->waits_for[i]) may_begin(p, i);
}

/* ---- doing it --------------------------------------------------------------------------------------- */

static void *place(const coll_playing *p, int buf, uint64_t off) { return (char *)p->buffer[buf] + off; }

static void will_write(coll_playing *p, const void *where, uint64_t bytes) {
  if (p->untouched.n) port_charge_first_touch(byte_set_remove(&p->untouched, (uintptr_t)where, bytes));
}

static void post(coll_playing *p, uint32_t node) {
  const plan_node *n = &p->plan->node[node];
  const requests *r = &p->requests;
  size_t count = n->bytes / r->elem;
  int parts = requests_parts(r, count);
  void *data = n->bytes ? place(p, n->buf, n->off) : NULL;
  if (n->kind == NODE_RECV) will_write(p, data, n->bytes);
  MPI_Request *request = engine_requests(p->engine, parts, p, node);
  if (n->kind == NODE_SEND) requests_isend_all(r, data, count, n->peer, n->label, request);
  else requests_irecv_all(r, data, count, n->peer, n->label, request);
  p->waits_for[node] = (uint32_t)parts;
  p->outstanding++;
  let_go(p, node, EDGE_POSTED);
}

static void work(coll_playing *p, uint32_t node) {
  const plan_node *n = &p->plan->node[node];
  if (n->kind != NODE_JOIN) {
    void *from = place(p, n->buf, n->off), *to = place(p, n->buf2, n->off2);
    will_write(p, to, n->bytes);
    if (n->kind == NODE_REDUCE) local_reduce(&p->requests, p->op, from, to, n->bytes / p->requests.elem);
    else local_copy(to, from, n->bytes);
  }
  is_through(p, node);
}

void playing_go_on(coll_playing *p) {
  if (p->held) return;
  for (;;) {
    if (p->messages.n && plan_may_post(p->plan, p->messages.node[0], p->first, p->outstanding))
      post(p, due_take(&p->messages));
    else if (p->work.n) work(p, due_take(&p->work));
    else break;
  }
  if (p->left || p->done) return;
  engine_remove(p->engine, p);
  atomic_store_explicit(&p->done, true, memory_order_release); /* from here on it may be freed */
}
