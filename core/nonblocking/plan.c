#include "core/nonblocking/plan.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/nonblocking/builder.h"
#include "core/schedule/array.h"
#include "core/schedule/channels.h"
#include "core/schedule/recorder/rank.h"

typedef struct {
  builder b;
  ranges buffer[REC_SEGMENT];
  bool changes[REC_SEGMENT]; /* somebody writes it: else its readers need not be kept */
  channels channels;
  uint32_t *node_of; /* [operations] of the record */
  needs now;         /* whom the next node waits for */
  /* Of what the blocking text has waited for: empty messages, which all that comes waits for, but for those that others of them wait for;
   * and what else is over since the last one began. */
  needs front, since;
  bool empties; /* there are empty messages */
} maker;

/* ---- empty messages --------------------------------------------------------------------------------- */

enum { FRONT_MAX = 2 };

static void wait_for_front(maker *m) {
  if (m->front.n > FRONT_MAX) needs_add(&m->front, builder_join(&m->b, &m->front));
  for (size_t i = 0; i < m->front.n; i++) needs_add(&m->now, m->front.node[i]);
}

/* Once for all empty messages that begin here: what is over is part of the front. */
static void advance_front(maker *m) {
  if (!m->since.n) return;
  for (size_t i = 0; i < m->since.n; i++) needs_add(&m->front, m->since.node[i]);
  m->since.n = 0;
}

/* In the blocking text a node is through. */
static void through(maker *m, uint32_t node) {
  if (!m->empties) return;
  if (m->b.node[node].bytes) needs_add(&m->since, node);
  else {
    if (m->front.n == 1 && builder_waits(&m->b, node, m->front.node[0])) m->front.n = 0;
    needs_add(&m->front, node);
  }
}

/* ---- operations ------------------------------------------------------------------------------------- */

typedef struct {
  int buf;
  uint64_t off;
  bool writes;
} touch;

static uint32_t add(maker *m, plan_node n, const touch *t, int touches) {
  if (m->empties && !n.bytes) advance_front(m);
  if (m->empties) wait_for_front(m);
  for (int i = 0; i < touches; i++)
    if (m->changes[t[i].buf]) ranges_ask(&m->buffer[t[i].buf], &m->b, t[i].off, n.bytes, t[i].writes, &m->now);
  uint32_t me = builder_add(&m->b, n, &m->now);
  for (int i = 0; i < touches; i++)
    if (m->changes[t[i].buf]) ranges_touched(&m->buffer[t[i].buf], t[i].off, n.bytes, t[i].writes, me);
  return me;
}

static uint32_t add_message(maker *m, const rec_op *o) {
  bool sends = rec_sends(o->kind);
  plan_node n = { .kind = sends ? NODE_SEND : NODE_RECV,
                  .buf = o->buf,
                  .label = o->label,
                  .peer = o->peer,
                  .off = o->off,
                  .bytes = o->bytes };
  uint32_t *before = &channels_find(&m->channels, sends, o->peer, o->label)->last;
  if (*before != CHANNEL_NOBODY) needs_add(&m->now, *before | EDGE_POSTED);
  return *before = add(m, n, &(touch){ o->buf, o->off, !sends }, 1);
}

static uint32_t add_work(maker *m, const rec_op *o) {
  plan_node n = { .kind = o->kind == REC_REDUCE ? NODE_REDUCE : NODE_COPY,
                  .buf = o->buf,
                  .buf2 = o->buf2,
                  .off = o->off,
                  .off2 = o->off2,
                  .bytes = o->bytes };
  return add(m, n, (touch[]){ { o->buf, o->off, false }, { o->buf2, o->off2, true } }, 2);
}

static void message_is_through(maker *m, uint32_t node) {
  m->b.node[node].until = (uint32_t)m->b.nodes;
  through(m, node);
}

static void operation(maker *m, const rec_op *o, size_t i) {
  if (o->kind == REC_WAIT) {
    message_is_through(m, m->node_of[o->peer]);
  } else if (rec_sends(o->kind) || rec_receives(o->kind)) {
    m->node_of[i] = add_message(m, o);
    if (o->kind == REC_SEND || o->kind == REC_RECV) message_is_through(m, m->node_of[i]);
  } else through(m, add_work(m, o));
}

/* ---- a rank ----------------------------------------------------------------------------------------- */

coll_plan *coll_plan_of(const record *r, int rank) {
  const rec_rank *k = &r->rank[rank];
  const rec_layout *l = &r->layout[rank];
  maker m = { .changes = { [REC_IN] = l->has_out && l->out_buf == REC_IN, [REC_OUT] = true, [REC_SCRATCH] = true } };
  m.node_of = array_grow(NULL, sizeof *m.node_of * k->n);
  channels_clear(&m.channels);
  RESERVE_ZEROED(m.b.before_first, m.b.before_first_cap, 1);
  for (size_t i = 0; i < k->n; i++)
    m.empties |= (rec_sends(k->op[i].kind) || rec_receives(k->op[i].kind)) && !k->op[i].bytes;
  for (size_t i = 0; i < k->n; i++) operation(&m, &k->op[i], i);
  coll_plan *p = builder_plan(&m.b);
  p->elem = r->args.elem;
  p->scratch = k->scratch;
  for (int i = 0; i < REC_SEGMENT; i++) ranges_free(&m.buffer[i]);
  builder_free(&m.b);
  channels_free(&m.channels);
  free(m.node_of);
  free(m.now.node);
  free(m.front.node);
  free(m.since.node);
  return p;
}

coll_plan *coll_plan_make(const coll_alg *alg, const coll_args *args, int rank, char *reason, size_t size) {
  record *r = record_rank(NULL, alg, args, rank);
  coll_plan *p = NULL;
  if (*r->error) snprintf(reason, size, "%s", r->error);
  else p = coll_plan_of(r, rank);
  record_free(r);
  return p;
}

void coll_plan_free(coll_plan *p) { free(p); }

size_t coll_plan_bytes(const coll_plan *p) {
  plan_edges all = plan_all_edges(p);
  return sizeof *p + sizeof *p->node * p->nodes + sizeof *all.at * (size_t)(all.end - all.at);
}

size_t coll_plan_operations(const coll_plan *p) {
  size_t operations = 0;
  for (uint32_t i = 0; i < p->nodes; i++) operations += p->node[i].kind != NODE_JOIN;
  return operations;
}
