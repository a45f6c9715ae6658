/* Ranks run ahead through their lists until they must wait for a message. Time only moves when no rank can go on, so
 * everything that is posted lies at or after the present. */
#include "model/timing.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/engine.h"

typedef struct {
  double end;
  int32_t message;
  uint8_t side;
} arrival;

typedef struct {
  engine engine;
  const port_rule *rule; /* of this run, and its state */
  void *state, *states[MACHINE_RULES];
  arrival *arrival;
  size_t arrivals, arrival_cap;
  timing_result *out;
} timer;

/* ---- ranks ------------------------------------------------------------------------------------------ */

static void launch(timer *t, int32_t id) { t->rule->launch(t->state, &t->engine, id); }

static void post(timer *t, int32_t id, int r, uint8_t side) {
  engine *e = &t->engine;
  message *m = &e->wiring.message[id];
  rank_state *s = &e->rank[r];
  if (m->flags & EAGER) {
    m->flags |= side;
    if (side != SENT) return;
    m->posted = s->clock;
    m->count = s->count;
    launch(t, id);
    return;
  }
  if (m->flags & (SENT | RECEIVED)) later(&m->posted, &m->count, s->clock, s->count);
  else m->posted = s->clock, m->count = s->count;
  m->flags |= side;
  if ((m->flags & (SENT | RECEIVED)) == (SENT | RECEIVED)) launch(t, id);
}

/* The rank has waited for this message, and it is there. */
static void absorb(engine *e, int r, int32_t id, uint8_t side) {
  const message *m = &e->wiring.message[id];
  rank_state *s = &e->rank[r];
  later(&s->clock, &s->count, m->end, m->count);
  if (side == RECEIVED && m->flags & EAGER) s->clock += e->m->overhead_s;
}

/* Which side of its message an operation waits for. */
static inline uint8_t side_of(const engine *e, int r, size_t i) {
  return e->wiring.what[e->wiring.first_op[r] + i] & SENDING ? SENT : RECEIVED;
}

static int by_end(const void *a, const void *b) {
  const arrival *x = a, *y = b;
  return (x->end > y->end) - (x->end < y->end);
}

/* A call that waits for several: where receiving costs time, messages are taken in as they arrive. Returns false when
 * the rank has to wait; else s->next stands at the call's last wait. */
static bool wait_together(timer *t, int r) {
  engine *e = &t->engine;
  rank_state *s = &e->rank[r];
  const rec_rank *list = &e->rec->rank[r];
  size_t end = s->next + 1 + list->op[s->next].bytes;
  for (size_t i = s->waited > s->next ? s->waited : s->next; i < end; i++) {
    int32_t id = e->wiring.of_op[e->wiring.first_op[r] + i];
    if (e->wiring.message[id].flags & DONE || (e->wiring.message[id].flags & EAGER && side_of(e, r, i) == SENT))
      continue;
    s->waited = i;
    s->message = id;
    return false;
  }
  s->waited = 0;
  t->arrivals = 0;
  for (size_t k = s->next; k < end; k++) {
    int32_t id = e->wiring.of_op[e->wiring.first_op[r] + k];
    uint8_t side = side_of(e, r, k);
    if (side == SENT && e->wiring.message[id].flags & EAGER) continue;
    PUSH(t->arrival, t->arrivals, t->arrival_cap, (arrival){ e->wiring.message[id].end, id, side });
  }
  if (t->arrivals > 1) qsort(t->arrival, t->arrivals, sizeof *t->arrival, by_end);
  for (size_t k = 0; k < t->arrivals; k++) absorb(e, r, t->arrival[k].message, t->arrival[k].side);
  s->next = end - 1;
  return true;
}

static void publish(engine *e, int r, flag_state *f, uint64_t value) {
  rank_state *s = &e->rank[r];
  PUSH(f->list, f->n, f->cap, (publication){ value, s->clock, s->count, r });
  for (int32_t w = f->waiting, next; w != NONE; w = next) {
    next = e->rank[w].flag_link;
    engine_wake(e, w);
  }
  f->waiting = NONE;
}

/* Whether the flag has reached the value at some time: the clock then stands at the later of the two, and *setter is who
 * set it. */
static bool reached_value(engine *e, int r, flag_state *f, uint64_t value, int *setter) {
  rank_state *s = &e->rank[r];
  *setter = r;
  if (!value) return true;
  int low = 0, high = f->n; /* values grow */
  while (low < high) {
    int middle = (low + high) / 2;
    if (f->list[middle].value >= value) high = middle;
    else low = middle + 1;
  }
  if (low == f->n) return false;
  later(&s->clock, &s->count, f->list[low].time, f->list[low].count);
  *setter = f->list[low].rank;
  return true;
}

static void work(timer *t, int r, bool combines, double takes_s) {
  timing_result *out = t->out;
  double start = t->engine.rank[r].clock;
  t->engine.rank[r].clock += takes_s;
  if (out->want_messages && takes_s > 0)
    PUSH(out->span, out->spans, out->span_cap, (timing_span){ r, combines, start, start + takes_s });
}

static void run_rank(timer *t, int r) {
  engine *e = &t->engine;
  const machine *m = e->m;
  rank_state *s = &e->rank[r];
  const rec_rank *list = &e->rec->rank[r];
  const int32_t *of = e->wiring.of_op + e->wiring.first_op[r];
  const uint8_t *what = e->wiring.what + e->wiring.first_op[r];
  double *begin_s = t->out->want_messages ? t->out->begin_s[r] : NULL;
  if (s->message != NONE) {
    const rec_op *o = &e->rec->rank[r].op[s->next];
    if (m->overhead_s <= 0 || o->kind != REC_WAIT || !o->bytes) absorb(e, r, s->message, side_of(e, r, s->next++));
    s->message = NONE;
  }
  for (; s->next < list->n; s->next++) {
    const rec_op *o = &list->op[s->next];
    int32_t id = of[s->next];
    rec_kind kind = (rec_kind)(what[s->next] & KIND);
    if (begin_s) begin_s[s->next] = s->clock;
    switch (kind) {
      case REC_SEND:
      case REC_ISEND:
        if (kind == REC_ISEND || e->wiring.message[id].flags & EAGER) s->clock += m->overhead_s;
        post(t, id, r, SENT);
        if (kind == REC_SEND && !(e->wiring.message[id].flags & EAGER)) {
          s->message = id;
          return;
        }
        break;
      case REC_RECV:
      case REC_IRECV:
      case REC_RECV_ANY:
        post(t, id, r, RECEIVED);
        if (kind == REC_IRECV) break;
        if (!(e->wiring.message[id].flags & DONE)) {
          s->message = id;
          return;
        }
        absorb(e, r, id, RECEIVED);
        break;
      case REC_WAIT: {
        if (m->overhead_s > 0 && o->bytes) {
          if (!wait_together(t, r)) return;
          break;
        }
        uint8_t side = side_of(e, r, s->next);
        if (side == SENT && e->wiring.message[id].flags & EAGER) break;
        if (!(e->wiring.message[id].flags & DONE)) {
          s->message = id;
          return;
        }
        absorb(e, r, id, side);
        break;
      }
      case REC_REDUCE: work(t, r, true, (double)o->bytes * m->gamma_s_per_byte); break;
      case REC_COPY: work(t, r, false, (double)o->bytes * m->copy_s_per_byte); break;
      case REC_WRITE:
      case REC_READ:
        if (o->peer == r) {
          work(t, r, false, (double)o->bytes * m->copy_s_per_byte);
          break;
        }
        e->wiring.message[id].posted = s->clock;
        e->wiring.message[id].count = s->count;
        launch(t, id);
        s->message = id;
        return;
      case REC_PUBLISH: publish(e, r, &e->wiring.flag[id], o->off2); break;
      case REC_AWAIT: {
        message *line = &e->wiring.message[id];
        flag_state *f = &e->wiring.flag[line->link];
        if (!reached_value(e, r, f, o->off2, &line->src)) {
          s->flag_link = f->waiting;
          f->waiting = r;
          return;
        }
        if (line->src == r) break;
        line->posted = s->clock;
        line->count = s->count;
        launch(t, id);
        s->message = id;
        return;
      }
    }
  }
}

/* Those that can go on, as far as they can. */
static void run_ranks(timer *t) {
  engine *e = &t->engine;
  if (t->rule->last_rank_first)
    while (e->run_n) run_rank(t, e->run[--e->run_n]);
  else {
    for (size_t i = 0; i < e->run_n; i++) run_rank(t, e->run[i]);
    e->run_n = 0;
  }
}

/* ---- the call --------------------------------------------------------------------------------------- */

static void choose_rule(timer *t) {
  static const port_rule *const rules[MACHINE_RULES] = {
    [MACHINE_ONE_PORT] = &one_port_rule, [MACHINE_FLUID] = &fluid_rule
  };
  void **state = &t->states[t->engine.m->ports];
  t->rule = rules[t->engine.m->ports];
  if (!*state) *state = memset(array_grow(NULL, t->rule->bytes), 0, t->rule->bytes);
  t->state = *state;
}

static bool prepare(timer *t) {
  engine *e = &t->engine;
  const record *rec = e->rec;
  const machine *m = e->m;
  char *error = t->out->error;
  size_t size = sizeof t->out->error;
  int p = rec->args.size;
  if (m->places && m->places < p) {
    snprintf(error, size, "the machine has places for %d ranks, the schedule has %d", m->places, p);
    return false;
  }
  if (!wiring_make(&e->wiring, rec, t->out->matching, error, size)) return false;
  wiring_begin(&e->wiring, rec, m);
  bool whole = true;
  for (int c = 0; c < MACHINE_CLASSES; c++) whole &= m->curve[c].pieces > 0;
  for (size_t i = 0; i < (whole ? 0 : e->wiring.transfers); i++) {
    const message *one = message_at(e, (int32_t)i);
    machine_class c = machine_class_of(m, one->src, one->dst);
    if (m->curve[c].pieces || one->src == one->dst) continue;
    snprintf(error, size, "ranks %d and %d: the machine has no line for class %s", one->src, one->dst,
             machine_class_names[c]);
    return false;
  }
  RESERVE(e->rank, e->rank_cap, p);
  for (int r = 0; r < p; r++) e->rank[r] = (rank_state){ .message = NONE, .flag_link = NONE };
  e->run_n = 0;
  e->now = 0;
  choose_rule(t);
  const char *why = t->rule->prepare(t->state, e);
  if (why) snprintf(error, size, "%s", why);
  return !why;
}

/* What a rank that is not done waits for. */
static void report_deadlock(timer *t, int r) {
  const engine *e = &t->engine;
  const rank_state *s = &e->rank[r];
  const rec_op *o = &e->rec->rank[r].op[s->next];
  const char *site = e->rec->rank[r].site ? e->rec->rank[r].site[s->next] : NULL;
  const char *what = o->kind == REC_AWAIT ? "a flag" : side_of(e, r, s->next) == SENT ? "its send" : "its receive";
  int other = o->peer;
  if (s->message != NONE) {
    const message *m = &e->wiring.message[s->message];
    other = m->src == r ? m->dst : m->src;
  }
  snprintf(t->out->error, sizeof t->out->error,
           "deadlock: rank %d waits for ever in operation %zu%s%s, %s with rank %d", r, s->next, site ? " at " : "",
           site ? site : "", what, other);
}

/* A list for each rank, in one piece of memory. */
static void prepare_begins(timing_result *out, const record *rec) {
  size_t ranks = (size_t)rec->args.size, operations = 0;
  for (size_t r = 0; r < ranks; r++) operations += rec->rank[r].n;
  size_t lists = ranks * sizeof *out->begin_s, bytes = lists + operations * sizeof **out->begin_s;
  out->begin_s = memset(array_grow(out->begin_s, bytes), 0, bytes);
  double *list = (double *)(out->begin_s + ranks);
  for (size_t r = 0; r < ranks; list += rec->rank[r++].n) out->begin_s[r] = list;
}

static void list_messages(timer *t) {
  const wiring *w = &t->engine.wiring;
  timing_result *out = t->out;
  out->message = array_grow(out->message, w->transfers * sizeof *out->message);
  out->transfer = out->message + w->messages;
  size_t n = 0;
  for (size_t i = 0; i < w->transfers; i++) {
    const message *m = &w->message[i];
    if (!(m->flags & DONE)) continue; /* the line of a flag that the rank has set itself */
    out->message[n++] = (timing_message){ .src = m->src,
                                          .dst = m->dst,
                                          .label = m->label,
                                          .send = m->send,
                                          .recv = m->recv,
                                          .bytes = m->bytes,
                                          .posted_s = m->posted,
                                          .start_s = m->start,
                                          .end_s = m->end };
  }
  out->transfers = n - w->messages;
}

static int conclude(timer *t) {
  const engine *e = &t->engine;
  timing_result *out = t->out;
  int p = e->rec->args.size;
  for (int r = 0; r < p; r++)
    if (e->rank[r].next < e->rec->rank[r].n) {
      report_deadlock(t, r);
      return -1;
    }
  out->rank_end_s = array_grow(out->rank_end_s, (size_t)p * sizeof *out->rank_end_s);
  out->ranks = p;
  uint32_t count = 0;
  for (int r = 0; r < p; r++) {
    out->rank_end_s[r] = e->rank[r].clock;
    later(&out->makespan_s, &count, e->rank[r].clock, e->rank[r].count);
  }
  out->critical_messages = count;
  out->messages = e->wiring.messages;
  if (out->want_messages) list_messages(t);
  return 0;
}

int timing_run(const record *rec, const machine *m, timing_result *out) {
  if (!out->work) out->work = memset(array_grow(NULL, sizeof(timer)), 0, sizeof(timer));
  timer *t = out->work;
  engine *e = &t->engine;
  e->rec = rec;
  e->m = m;
  t->out = out;
  out->makespan_s = 0;
  out->critical_messages = out->messages = out->transfers = out->spans = 0;
  *out->error = '\0';
  if (*rec->error) {
    snprintf(out->error, sizeof out->error, "%s", rec->error);
    return -1;
  }
  if (!prepare(t)) return -1;
  if (out->want_messages) prepare_begins(out, rec);
  for (int r = 0; r < rec->args.size; r++) run_rank(t, r);
  run_ranks(t);
  while (t->rule->next(t->state, e)) {
    t->rule->events(t->state, e);
    run_ranks(t);
    t->rule->settle(t->state, e);
  }
  return conclude(t);
}

void timing_free(timing_result *out) {
  timer *t = out->work;
  if (t) {
    engine_free(&t->engine);
    if (t->states[MACHINE_ONE_PORT]) one_port_rule.free(t->states[MACHINE_ONE_PORT]);
    if (t->states[MACHINE_FLUID]) fluid_rule.free(t->states[MACHINE_FLUID]);
    for (int i = 0; i < MACHINE_RULES; i++) free(t->states[i]);
    free(t->arrival);
    free(t);
  }
  free(out->rank_end_s);
  free(out->message);
  free(out->begin_s);
  free(out->span);
  *out = (timing_result){ 0 };
}
