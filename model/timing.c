/* The timing engine. Ranks run ahead through their lists until they must wait for a message; what is on its way sits
 * in a heap by the time of its next event. Time only moves when no rank can go on, so everything that is posted lies
 * at or after the present. */
#include "model/engine.h"

#include <string.h>

/* ---- fluid's heap --------------------------------------------------------------------------------------- */

static inline bool before(const event *a, const event *b)
{ return a->time < b->time || (a->time == b->time && a->order < b->order); }

static void heap_set(engine *e, size_t i, event v) { e->heap[i] = v; e->where[v.id] = (uint32_t)i; }

static void heap_up(engine *e, size_t i, event v)
{
  while (i > 0 && before(&v, &e->heap[(i - 1) / 4])) {
    heap_set(e, i, e->heap[(i - 1) / 4]);
    i = (i - 1) / 4;
  }
  heap_set(e, i, v);
}

static void heap_down(engine *e, size_t i, event v)
{
  for (;;) {
    size_t child = 4 * i + 1, least = child, last = child + 4 < e->heap_n ? child + 4 : e->heap_n;
    if (child >= e->heap_n) break;
    for (size_t k = child + 1; k < last; k++)
      if (before(&e->heap[k], &e->heap[least])) least = k;
    if (!before(&e->heap[least], &v)) break;
    heap_set(e, i, e->heap[least]);
    i = least;
  }
  heap_set(e, i, v);
}

void engine_push(engine *e, int32_t id, double time)
{
  RESERVE(e->heap, e->heap_cap, e->heap_n + 1);
  event v = {time, e->order++, id};
  heap_up(e, e->heap_n++, v);
}

event engine_pop(engine *e)
{
  event top = e->heap[0];
  event last = e->heap[--e->heap_n];
  if (e->heap_n) heap_down(e, 0, last);
  e->where[top.id] = UINT32_MAX;
  return top;
}

void engine_move(engine *e, int32_t id, double time)
{
  if (e->where[id] == UINT32_MAX) { engine_push(e, id, time); return; }
  size_t i = e->where[id];
  event v = e->heap[i];
  bool up = time < v.time;
  v.time = time;
  if (up) heap_up(e, i, v); else heap_down(e, i, v);
}

void engine_complete(engine *e, int32_t id, double time)
{
  message *m = &e->message[id];
  m->flags |= DONE;
  m->end = time;
  if (!(m->flags & TRANSFER)) m->count++;
  int both[2] = {m->src, m->dst};
  for (int i = 0; i < (m->src == m->dst ? 1 : 2); i++)
    if (e->rank[both[i]].message == id) PUSH(e->run, e->run_n, e->run_cap, both[i]);
}

int engine_failed(engine *e, const char *format, int a, int b)
{
  snprintf(e->out->error, sizeof e->out->error, format, a, b);
  return -1;
}


/* ---- ranks ------------------------------------------------------------------------------------------ */

static void launch(engine *e, int32_t id)
{
  if (e->m->ports == MACHINE_ONE_PORT) one_port_launch(e, id);
  else fluid_launch(e, id);
}

static void post(engine *e, int32_t id, int r, uint8_t side)
{
  message *m = &e->message[id];
  rank_state *s = &e->rank[r];
  if (m->flags & EAGER) {
    m->flags |= side;
    if (side != SENT) return;
    m->posted = s->clock;
    m->count = s->count;
    launch(e, id);
    return;
  }
  if (m->flags & (SENT | RECEIVED)) later(&m->posted, &m->count, s->clock, s->count);
  else m->posted = s->clock, m->count = s->count;
  m->flags |= side;
  if ((m->flags & (SENT | RECEIVED)) == (SENT | RECEIVED)) launch(e, id);
}

/* The rank has waited for this message, and it is there. */
static void absorb(engine *e, int r, int32_t id, uint8_t side)
{
  const message *m = &e->message[id];
  rank_state *s = &e->rank[r];
  later(&s->clock, &s->count, m->end, m->count);
  if (side == RECEIVED && m->flags & EAGER) s->clock += e->m->overhead_s;
}

/* Which side of its message an operation waits for. */
static inline uint8_t side_of(const engine *e, int r, size_t i)
{ return e->what[e->first_op[r] + i] & SENDING ? SENT : RECEIVED; }

static int by_end(const void *a, const void *b)
{
  const arrival *x = a, *y = b;
  return (x->end > y->end) - (x->end < y->end);
}

/* A call that waits for several: where receiving costs time, messages are taken in as they arrive. Returns false when
 * the rank has to wait; else s->next stands at the call's last wait. */
static bool wait_together(engine *e, int r)
{
  rank_state *s = &e->rank[r];
  const rec_rank *list = &e->rec->rank[r];
  size_t end = s->next + 1 + list->op[s->next].bytes;
  for (size_t i = s->waited > s->next ? s->waited : s->next; i < end; i++) {
    int32_t id = e->of_op[e->first_op[r] + i];
    if (e->message[id].flags & DONE || (e->message[id].flags & EAGER && side_of(e, r, i) == SENT)) continue;
    s->waited = i;
    s->message = id;
    return false;
  }
  s->waited = 0;
  e->arrivals = 0;
  for (size_t k = s->next; k < end; k++) {
    int32_t id = e->of_op[e->first_op[r] + k];
    uint8_t side = side_of(e, r, k);
    if (side == SENT && e->message[id].flags & EAGER) continue;
    PUSH(e->arrival, e->arrivals, e->arrival_cap, ((arrival){e->message[id].end, id, side}));
  }
  if (e->arrivals > 1) qsort(e->arrival, e->arrivals, sizeof *e->arrival, by_end);
  for (size_t k = 0; k < e->arrivals; k++) absorb(e, r, e->arrival[k].message, e->arrival[k].side);
  s->next = end - 1;
  return true;
}

static void publish(engine *e, int r, flag_state *f, uint64_t value)
{
  rank_state *s = &e->rank[r];
  if (f->n == f->cap) {
    f->cap = f->cap ? 2 * f->cap : 8;
    f->list = realloc(f->list, (size_t)f->cap * sizeof *f->list);
    if (!f->list) { fputs("timing: out of memory\n", stderr); abort(); }
  }
  f->list[f->n++] = (publication){value, s->clock, s->count, r};
  for (int32_t w = f->waiting, next; w != NONE; w = next) {
    next = e->rank[w].flag_link;
    PUSH(e->run, e->run_n, e->run_cap, w);
  }
  f->waiting = NONE;
}

/* Whether the flag has reached the value at some time: the clock then stands at the later of the two, and *setter is who
 * set it. */
static bool reached_value(engine *e, int r, flag_state *f, uint64_t value, int *setter)
{
  rank_state *s = &e->rank[r];
  *setter = r;
  if (!value) return true;
  int low = 0, high = f->n;           /* values grow */
  while (low < high) {
    int middle = (low + high) / 2;
    if (f->list[middle].value >= value) high = middle; else low = middle + 1;
  }
  if (low == f->n) return false;
  later(&s->clock, &s->count, f->list[low].time, f->list[low].count);
  *setter = f->list[low].rank;
  return true;
}

static void work(engine *e, int r, bool combines, double takes_s)
{
  double start = e->rank[r].clock;
  e->rank[r].clock += takes_s;
  if (e->out->want_messages && takes_s > 0)
    PUSH(e->out->span, e->out->spans, e->out->span_cap, ((timing_span){r, combines, start, start + takes_s}));
}

static void run_rank(engine *e, int r)
{
  const machine *m = e->m;
  rank_state *s = &e->rank[r];
  const rec_rank *list = &e->rec->rank[r];
  const int32_t *of = e->of_op + e->first_op[r];
  const uint8_t *what = e->what + e->first_op[r];
  if (s->message != NONE) {
    const rec_op *o = op_at(e, r, s->next);
    if (m->overhead_s <= 0 || o->kind != REC_WAIT || !o->bytes) absorb(e, r, s->message, side_of(e, r, s->next++));
    s->message = NONE;
  }
  for (; s->next < list->n; s->next++) {
    const rec_op *o = &list->op[s->next];
    int32_t id = of[s->next];
    rec_kind kind = (rec_kind)(what[s->next] & KIND);
    switch (kind) {
    case REC_SEND: case REC_ISEND:
      if (kind == REC_ISEND || e->message[id].flags & EAGER) s->clock += m->overhead_s;
      post(e, id, r, SENT);
      if (kind == REC_SEND && !(e->message[id].flags & EAGER)) { s->message = id; return; }
      break;
    case REC_RECV: case REC_IRECV: case REC_RECV_ANY:
      post(e, id, r, RECEIVED);
      if (kind == REC_IRECV) break;
      if (!(e->message[id].flags & DONE)) { s->message = id; return; }
      absorb(e, r, id, RECEIVED);
      break;
    case REC_WAIT: {
      if (m->overhead_s > 0 && o->bytes) {
        if (!wait_together(e, r)) return;
        break;
      }
      uint8_t side = side_of(e, r, s->next);
      if (side == SENT && e->message[id].flags & EAGER) break;
      if (!(e->message[id].flags & DONE)) { s->message = id; return; }
      absorb(e, r, id, side);
      break;
    }
    case REC_REDUCE: work(e, r, true, (double)o->bytes * m->gamma_s_per_byte); break;
    case REC_COPY: work(e, r, false, (double)o->bytes * m->copy_s_per_byte); break;
    case REC_WRITE: case REC_READ:
      if (o->peer == r) { work(e, r, false, (double)o->bytes * m->copy_s_per_byte); break; }
      e->message[id].posted = s->clock;
      e->message[id].count = s->count;
      launch(e, id);
      s->message = id;
      return;
    case REC_PUBLISH: publish(e, r, &e->flag[id], o->off2); break;
    case REC_AWAIT: {
      message *line = &e->message[id];
      flag_state *f = &e->flag[line->link];
      if (!reached_value(e, r, f, o->off2, &line->src)) {
        s->flag_link = f->waiting;
        f->waiting = r;
        return;
      }
      if (line->src == r) break;
      line->posted = s->clock;
      line->count = s->count;
      launch(e, id);
      s->message = id;
      return;
    }
    }
  }
}

/* Under one_port in the order in which they were woken, which is that of their messages. fluid tells events of one instant
 * apart by who was first, so its order is part of its result: the last one first. */
static void run_ranks(engine *e)
{
  if (e->m->ports == MACHINE_ONE_PORT) {
    for (size_t i = 0; i < e->run_n; i++) run_rank(e, e->run[i]);
    e->run_n = 0;
  } else
    while (e->run_n) run_rank(e, e->run[--e->run_n]);
}

/* ---- the call --------------------------------------------------------------------------------------- */

static int prepare(engine *e)
{
  const record *rec = e->rec;
  const machine *m = e->m;
  int p = rec->args.size;
  if (m->places && m->places < p)
    return engine_failed(e, "the machine has places for %d ranks, the schedule has %d", m->places, p);
  if (!rec->serial || rec->serial != e->matched) {
    e->matched = 0;
    if (engine_match(e)) return -1;
    e->matched = rec->serial;
  }
  engine_begin(e);
  static const char *const names[MACHINE_CLASSES] = {"cache", "socket", "node", "network"};
  bool whole = true;
  for (int c = 0; c < MACHINE_CLASSES; c++) whole &= m->curve[c].pieces > 0;
  for (size_t i = 0; i < (whole ? 0 : e->transfers); i++) {
    machine_class c = class_of(e, e->message[i].src, e->message[i].dst);
    if (m->curve[c].pieces || e->message[i].src == e->message[i].dst) continue;
    snprintf(e->out->error, sizeof e->out->error, "ranks %d and %d: the machine has no line for class %s",
             e->message[i].src, e->message[i].dst, names[c]);
    return -1;
  }
  RESERVE(e->rank, e->rank_cap, (size_t)p);
  for (int r = 0; r < p; r++) e->rank[r] = (rank_state){.message = NONE, .flag_link = NONE};
  e->run_n = 0;
  e->now = 0;
  if (m->ports == MACHINE_ONE_PORT) one_port_prepare(e);
  else fluid_prepare(e);
  return 0;
}

static int conclude(engine *e)
{
  timing_result *out = e->out;
  int p = e->rec->args.size;
  for (int r = 0; r < p; r++) {
    const rank_state *s = &e->rank[r];
    if (s->next == e->rec->rank[r].n) continue;
    const rec_op *o = op_at(e, r, s->next);
    const char *what = o->kind == REC_AWAIT ? "a flag" : side_of(e, r, s->next) == SENT ? "its send" : "its receive";
    int other = s->message == NONE ? o->peer
                : e->message[s->message].src == r ? e->message[s->message].dst : e->message[s->message].src;
    snprintf(out->error, sizeof out->error, "deadlock: rank %d waits for ever in operation %zu, %s with rank %d", r,
             s->next, what, other);
    return -1;
  }
  out->rank_end_s = realloc(out->rank_end_s, (size_t)p * sizeof *out->rank_end_s);
  if (!out->rank_end_s) { fputs("timing: out of memory\n", stderr); abort(); }
  out->ranks = p;
  uint32_t count = 0;
  for (int r = 0; r < p; r++) {
    out->rank_end_s[r] = e->rank[r].clock;
    later(&out->makespan_s, &count, e->rank[r].clock, e->rank[r].count);
  }
  out->critical_messages = count;
  out->messages = e->messages;
  if (!out->want_messages) return 0;
  out->message = realloc(out->message, (e->transfers ? e->transfers : 1) * sizeof *out->message);
  if (!out->message) { fputs("timing: out of memory\n", stderr); abort(); }
  out->transfer = out->message + e->messages;
  size_t n = 0;
  for (size_t i = 0; i < e->transfers; i++) {
    const message *m = &e->message[i];
    if (!(m->flags & DONE)) continue;      /* the line of a flag that the rank has set itself */
    out->message[n++] = (timing_message){.src = m->src, .dst = m->dst, .label = m->label, .send = m->send,
      .recv = m->recv, .bytes = m->bytes, .posted_s = m->posted, .start_s = m->start, .end_s = m->end};
  }
  out->transfers = n - e->messages;
  return 0;
}

int timing_run(const record *rec, const machine *m, timing_result *out)
{
  if (!out->work && !(out->work = calloc(1, sizeof(engine)))) { fputs("timing: out of memory\n", stderr); abort(); }
  engine *e = out->work;
  e->rec = rec;
  e->m = m;
  e->out = out;
  out->makespan_s = 0;
  out->critical_messages = out->messages = out->transfers = out->spans = 0;
  *out->error = '\0';
  if (*rec->error) {
    snprintf(out->error, sizeof out->error, "%s", rec->error);
    return -1;
  }
  if (prepare(e)) return -1;
  bool one_port = m->ports == MACHINE_ONE_PORT;
  for (int r = 0; r < rec->args.size; r++) run_rank(e, r);
  run_ranks(e);
  while (one_port ? one_port_next(e) : fluid_next(e)) {
    if (one_port) one_port_events(e); else fluid_events(e);
    run_ranks(e);
    if (one_port) one_port_settle(e); else fluid_settle(e);
  }
  return conclude(e);
}

void timing_free(timing_result *out)
{
  engine *e = out->work;
  if (e) {
    for (size_t i = 0; i < e->moment_cap; i++) free(e->moment[i].id);
    void *all[] = {e->message, e->rank, e->of_op, e->first_op, e->pair, e->heap, e->where, e->run, e->port, e->ready,
                   e->freed, e->flow, e->spare, e->resource, e->dirty, e->reached, e->solved, e->lowest_socket,
                   e->arrival, e->what, e->line, e->moment, e->idle, e->due};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    for (size_t i = 0; i < e->flag_cap; i++) free(e->flag[i].list);
    free(e->flag);
    free(e);
  }
  free(out->rank_end_s);
  free(out->message);
  free(out->span);
  *out = (timing_result){0};
}
