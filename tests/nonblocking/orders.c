#include "tests/nonblocking/orders.h"

#include <stdlib.h>
#include <string.h>

#include "core/plan/values.h"
#include "core/schedule/array.h"

typedef struct {
  int rank;
  uint32_t node;
} spot;

typedef struct {
  spot *at;
  size_t n, cap;
} spots;

typedef struct {
  const coll_plan *plan;
  char *buffer[REC_SEGMENT];
  uint32_t *left; /* [nodes] others to wait for */
} rank_state;

typedef struct {
  rank_state *rank;
  plan_type type;
  plan_op op;
  spots due;    /* may begin */
  spots posted; /* messages, each rank's in the order in which they were posted */
  size_t over;
} play;

static const plan_node *node_at(const play *p, spot s) { return &p->rank[s.rank].plan->node[s.node]; }

static void let_go(play *p, spot s, uint32_t kind) {
  for (plan_edges e = plan_edges_of(p->rank[s.rank].plan, s.node); e.at < e.end; e.at++) {
    uint32_t v = *e.at & ~EDGE_POSTED;
    if ((*e.at & EDGE_POSTED) == kind && !--p->rank[s.rank].left[v])
      PUSH(p->due.at, p->due.n, p->due.cap, (spot){ s.rank, v });
  }
}

static void is_over(play *p, spot s) {
  p->over++;
  let_go(p, s, 0);
}

static void begin(play *p, spot s) {
  const plan_node *n = node_at(p, s);
  char *const *buffer = p->rank[s.rank].buffer;
  if (node_is_message(n)) {
    PUSH(p->posted.at, p->posted.n, p->posted.cap, s);
    let_go(p, s, EDGE_POSTED);
    return;
  }
  if (n->kind == NODE_COPY) memcpy(buffer[n->buf2] + n->off2, buffer[n->buf] + n->off, n->bytes);
  else if (n->kind == NODE_REDUCE)
    values_apply(p->type, p->op, buffer[n->buf] + n->off, buffer[n->buf2] + n->off2,
                 n->bytes / plan_type_bytes(p->type));
  is_over(p, s);
}

/* The message that this one, the first of its channel at its rank, belongs to: the first of the channel at its peer. */
static size_t partner(const play *p, size_t i) {
  const plan_node *n = node_at(p, p->posted.at[i]);
  int me = p->posted.at[i].rank;
  for (size_t k = 0; k < i; k++) { /* not the first: it waits for that */
    const plan_node *m = node_at(p, p->posted.at[k]);
    if (p->posted.at[k].rank == me && m->kind == n->kind && m->peer == n->peer && m->label == n->label)
      return p->posted.n;
  }
  for (size_t k = 0; k < p->posted.n; k++) {
    const plan_node *m = node_at(p, p->posted.at[k]);
    if (p->posted.at[k].rank == n->peer && m->kind != n->kind && m->peer == me && m->label == n->label) return k;
  }
  return p->posted.n;
}

static void take_out(spots *s, size_t i) { memmove(s->at + i, s->at + i + 1, sizeof *s->at * (--s->n - i)); }

/* Returns false when both are not of one size. */
static bool arrive(play *p, size_t i, size_t k) {
  spot a = p->posted.at[i], b = p->posted.at[k];
  if (node_at(p, a)->kind == NODE_RECV) {
    spot c = a;
    a = b;
    b = c;
  }
  const plan_node *send = node_at(p, a), *recv = node_at(p, b);
  if (send->bytes != recv->bytes) return false;
  if (send->bytes)
    memcpy(p->rank[b.rank].buffer[recv->buf] + recv->off, p->rank[a.rank].buffer[send->buf] + send->off, send->bytes);
  take_out(&p->posted, i > k ? i : k);
  take_out(&p->posted, i > k ? k : i);
  is_over(p, a);
  is_over(p, b);
  return true;
}

static uint64_t draw(uint64_t *seed) {
  uint64_t x = *seed += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

static size_t choose_due(const play *p, order_of_play order, uint64_t *seed) {
  if (order == ORDER_ANY) return draw(seed) % p->due.n;
  size_t last = 0;
  for (size_t i = 1; i < p->due.n; i++)
    if (p->due.at[i].node > p->due.at[last].node) last = i;
  return last;
}

/* One thing happens. Returns false when nothing can. */
static bool step(play *p, order_of_play order, uint64_t *seed) {
  bool messages_first = order == ORDER_ANY && draw(seed) % 2;
  if (p->due.n && !messages_first) {
    size_t i = choose_due(p, order, seed);
    spot s = p->due.at[i];
    p->due.at[i] = p->due.at[--p->due.n];
    begin(p, s);
    return true;
  }
  size_t from = p->posted.n ? draw(seed) % p->posted.n : 0;
  for (size_t j = 0; j < p->posted.n; j++) {
    size_t i = (from + j) % p->posted.n, k = partner(p, i);
    if (k < p->posted.n && partner(p, k) == i) return arrive(p, i, k);
  }
  return p->due.n; /* then one of these, the next time */
}

static void set_up(play *p, int rank, const player_rank *r) {
  const coll_plan *g = r->plan;
  rank_state *s = &p->rank[rank];
  *s = (rank_state){ .plan = g };
  s->buffer[REC_IN] = (char *)r->in;
  s->buffer[REC_OUT] = r->out;
  s->buffer[REC_SCRATCH] = array_grow(NULL, g->scratch);
  memset(s->buffer[REC_SCRATCH], 0x3C, g->scratch);
  s->left = memset(array_grow(NULL, sizeof *s->left * g->nodes), 0, sizeof *s->left * g->nodes);
  for (plan_edges e = plan_all_edges(g); e.at < e.end; e.at++) s->left[*e.at & ~EDGE_POSTED]++;
  for (uint32_t i = 0; i < g->nodes; i++)
    if (!s->left[i]) PUSH(p->due.at, p->due.n, p->due.cap, (spot){ rank, i });
}

const char *play_in_order(const player_rank *of, int ranks, plan_type type, plan_op op, order_of_play order,
                          uint64_t seed) {
  play p = { .type = type, .op = op, .rank = array_grow(NULL, sizeof *p.rank * (size_t)ranks) };
  size_t nodes = 0;
  for (int i = 0; i < ranks; i++) {
    set_up(&p, i, &of[i]);
    nodes += of[i].plan->nodes;
  }
  while (step(&p, order, &seed)) continue;
  for (int i = 0; i < ranks; i++) {
    free(p.rank[i].buffer[REC_SCRATCH]);
    free(p.rank[i].left);
  }
  free(p.rank);
  free(p.due.at);
  free(p.posted.at);
  return p.over == nodes ? NULL : "does not end";
}
