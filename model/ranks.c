#include "model/ranks.h"

#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/flags.h"

static void launch_message(timer *t, int32_t id) {
  engine *e = &t->engine;
  if (e->times) e->times[id].posted = message_at(e, id)->time;
  t->rule->launch(t->state, e, id);
}

static void post_message(timer *t, int32_t id, int r, uint8_t side) {
  engine *e = &t->engine;
  message *m = &e->wiring.message[id];
  rank_state *s = &e->rank[r];
  if (m->flags & EAGER) {
    m->flags |= side;
    if (side != SENT) return;
    m->time = s->clock;
    m->count = s->count;
    if (causes_enabled(e->why)) causes_post(e->why, id, r, s->clock, 0);
    launch_message(t, id);
    return;
  }
  bool second = m->flags & (SENT | RECEIVED);
  if (causes_enabled(e->why) && (!second || is_later(m->time, m->count, s->clock, s->count)))
    causes_post(e->why, id, r, s->clock, second && side == RECEIVED ? s->clock - m->time : 0);
  else if (causes_enabled(e->why) && side == SENT) e->why->message[id].sender_waited_s = m->time - s->clock;
  if (second) take_later(&m->time, &m->count, s->clock, s->count);
  else m->time = s->clock, m->count = s->count;
  m->flags |= side;
  if ((m->flags & (SENT | RECEIVED)) == (SENT | RECEIVED)) launch_message(t, id);
}

/* The rank has waited for this message, and it is there. */
static void absorb(engine *e, int r, int32_t id, uint8_t side) {
  const message *m = &e->wiring.message[id];
  rank_state *s = &e->rank[r];
  bool waited = is_later(s->clock, s->count, m->time, m->count);
  take_later(&s->clock, &s->count, m->time, m->count);
  if (waited && causes_enabled(e->why)) causes_message(e->why, r, id, s->clock);
  if (side != RECEIVED || m->flags & TRANSFER) return;
  note_received(e, r, m->src);
  if (!(m->flags & EAGER)) return;
  rank_busy(e, r, PART_OVERHEAD, e->m->overhead_s);
  if (e->m->has_receive_gaps) rank_busy(e, r, PART_RECEIVE_GAP, message_received(m, e->m));
}

static void pay_invalidation(engine *e, int r, uint64_t bytes) {
  rank_busy(e, r, PART_INVALIDATION, (double)bytes * e->m->invalidation_s_per_byte);
}

static inline bool receiving_costs(const machine *m) { return m->overhead_s > 0 || m->has_receive_gaps; }

static int by_end(const void *a, const void *b) {
  const arrival *x = a, *y = b;
  return (x->end > y->end) - (x->end < y->end);
}

/* A call that waits for several: where receiving costs time, messages are taken in as they arrive. Returns false when
 * the rank has to wait; else s->next stands at the call's last wait. */
static bool wait_together(timer *t, int r) {
  engine *e = &t->engine;
  rank_state *s = &e->rank[r];
  const int32_t *of = e->wiring.of_op + e->wiring.first_op[r];
  const uint8_t *what = e->wiring.what + e->wiring.first_op[r];
  bool more = true;
  for (size_t i = s->waited > s->next ? s->waited : s->next; more; more = what[i++] & MORE) {
    uint8_t flags = e->wiring.message[of[i]].flags;
    if (flags & DONE || (flags & EAGER && what[i] & SENDING)) continue;
    s->waited = (uint32_t)i;
    s->message = of[i];
    return false;
  }
  s->waited = 0;
  t->arrivals = 0;
  size_t k = s->next;
  for (more = true; more; more = what[k++] & MORE) {
    uint8_t side = what[k] & SENDING ? SENT : RECEIVED;
    const message *m = &e->wiring.message[of[k]];
    if (side == SENT && m->flags & EAGER) continue;
    PUSH(t->arrival, t->arrivals, t->arrival_cap, (arrival){ m->time, of[k], side });
  }
  if (t->arrivals > 1) qsort(t->arrival, t->arrivals, sizeof *t->arrival, by_end);
  for (size_t i = 0; i < t->arrivals; i++) absorb(e, r, t->arrival[i].message, t->arrival[i].side);
  s->next = (uint32_t)(k - 1);
  return true;
}

static void work(timer *t, int r, rec_kind kind, double takes_s) {
  timing_result *out = t->out;
  double start = t->engine.rank[r].clock;
  rank_busy(&t->engine, r, kind == REC_REDUCE ? PART_REDUCE : PART_COPY, takes_s);
  if (out->want_messages && takes_s > 0)
    PUSH(out->span, out->spans, out->span_cap, (timing_span){ r, kind, start, start + takes_s });
}

/* Bytes that cross a segment, or the line of a flag: the rank waits for them. */
static void transfer(timer *t, int32_t id, int r) {
  rank_state *s = &t->engine.rank[r];
  message *m = message_at(&t->engine, id);
  m->time = s->clock;
  m->count = s->count;
  if (causes_enabled(t->engine.why)) causes_post(t->engine.why, id, r, s->clock, 0);
  launch_message(t, id);
  s->message = id;
}

static void run_one(timer *t, int r) {
  engine *e = &t->engine;
  const machine *m = e->m;
  const wiring *w = &e->wiring;
  rank_state *s = &e->rank[r];
  const int32_t *of = w->of_op + w->first_op[r];
  const uint8_t *what = w->what + w->first_op[r];
  size_t n = w->first_op[r + 1] - w->first_op[r];
  double *begin_s = t->out->want_messages ? t->out->begin_s[r] : NULL;
  const uint64_t *first_written = m->first_touch_s_per_byte > 0 ? w->first_written + w->first_op[r] : NULL;
  const uint64_t *invalidated = m->invalidation_s_per_byte > 0 && m->places ? w->invalidated + w->first_op[r] : NULL;
  if (s->message != NONE) {
    bool several = receiving_costs(m) && (what[s->next] & (KIND | MORE)) == (REC_WAIT | MORE);
    if (!several) {
      absorb(e, r, s->message, side_of(e, r, s->next));
      if (invalidated) pay_invalidation(e, r, invalidated[s->next]);
      s->next++;
    }
    s->message = NONE;
  }
  for (; s->next < n; s->next++) {
    int32_t id = of[s->next];
    rec_kind kind = (rec_kind)(what[s->next] & KIND);
    if (begin_s) begin_s[s->next] = s->clock;
    if (first_written) rank_busy(e, r, PART_FIRST_TOUCH, (double)first_written[s->next] * m->first_touch_s_per_byte);
    switch (kind) {
      case REC_SEND:
      case REC_ISEND:
        rank_busy(e, r, PART_TURNAROUND, turnaround_spent(e, &w->message[id]));
        rank_busy(e, r, m->has_gaps ? PART_GAP : PART_OVERHEAD, sender_spent(e, &w->message[id]));
        post_message(t, id, r, SENT);
        if (kind == REC_SEND && !(w->message[id].flags & EAGER)) {
          s->message = id;
          return;
        }
        break;
      case REC_RECV:
      case REC_IRECV:
      case REC_RECV_ANY:
        post_message(t, id, r, RECEIVED);
        if (kind == REC_IRECV) break;
        if (!(w->message[id].flags & DONE)) {
          s->message = id;
          return;
        }
        absorb(e, r, id, RECEIVED);
        if (invalidated) pay_invalidation(e, r, invalidated[s->next]);
        break;
      case REC_WAIT: {
        if (receiving_costs(m) && what[s->next] & MORE) {
          if (!wait_together(t, r)) return;
        } else {
          uint8_t side = side_of(e, r, s->next);
          bool over = side == SENT && w->message[id].flags & EAGER;
          if (!over && !(w->message[id].flags & DONE)) {
            s->message = id;
            return;
          }
          if (!over) absorb(e, r, id, side);
        }
        if (invalidated) pay_invalidation(e, r, invalidated[s->next]);
        break;
      }
      case REC_REDUCE:
      case REC_COPY:
        if (invalidated) pay_invalidation(e, r, invalidated[s->next]);
        work(t, r, kind, (double)w->value[id] * (kind == REC_REDUCE ? m->gamma_s_per_byte : m->copy_s_per_byte));
        break;
      case REC_CALC: work(t, r, kind, 1e-9 * (double)w->value[id]); break;
      case REC_WRITE:
      case REC_READ:
        transfer(t, id, r); /* what reading a segment takes back is paid once the bytes are there */
        return;
      case REC_MARK: t->out->marked_s[r] += id ? s->clock : -s->clock; break;
      case REC_PUBLISH: flags_publish(e, r, &w->flag[w->value[id + 1]], w->value[id]); break;
      case REC_AWAIT: {
        int32_t line = (int32_t)w->value[id + 1];
        flag_state *f = &w->flag[w->line[line - (int32_t)w->messages].flag];
        int setter = r;
        if (!flags_reached(e, r, f, w->value[id], &setter)) {
          s->flag_link = f->waiting;
          f->waiting = r;
          return;
        }
        w->message[line].src = setter;
        if (setter == r) break;
        transfer(t, line, r);
        return;
      }
    }
  }
}

/* The rank goes on until it waits, or is done. */
static void advance(timer *t, int r) {
  run_one(t, r);
  if (t->engine.rank[r].clock > t->stop_s) t->is_late = true;
}

static void fetch_rank(const engine *e, int r) {
  __builtin_prefetch(&e->rank[r], 1);
  __builtin_prefetch(&e->wiring.first_op[r]);
  if (e->m->places) __builtin_prefetch(&e->m->place[r]);
}

static void fetch_operations(const engine *e, int r) {
  size_t at = e->wiring.first_op[r] + e->rank[r].next;
  __builtin_prefetch(&e->wiring.what[at]);
  __builtin_prefetch(&e->wiring.of_op[at]);
}

/* The one that it has waited for, and those of what it does next. */
static void fetch_messages(const engine *e, int r) {
  const wiring *w = &e->wiring;
  size_t at = w->first_op[r] + e->rank[r].next;
  for (size_t i = at; i < at + 4 && i < w->first_op[r + 1]; i++)
    if ((w->what[i] & KIND) <= REC_WAIT) __builtin_prefetch(&w->message[w->of_op[i]], 1);
}

/* Where those are whom it sends to next. */
static void fetch_peers(const engine *e, int r) {
  const wiring *w = &e->wiring;
  size_t at = w->first_op[r] + e->rank[r].next;
  for (size_t i = at; e->m->places && i < at + 4 && i < w->first_op[r + 1]; i++)
    if (rec_sends(w->what[i] & KIND)) __builtin_prefetch(&e->m->place[w->message[w->of_op[i]].dst]);
}

/* The first of those that can go on come after nobody's work. */
static void fetch_first(const engine *e, bool backwards) {
  size_t n = e->run_n < 3 * AHEAD ? e->run_n : 3 * AHEAD;
  const int32_t *run = backwards ? &e->run[e->run_n - n] : e->run;
  for (size_t i = 0; i < n; i++) fetch_rank(e, run[backwards ? n - 1 - i : i]);
  for (size_t i = 0; i < n && i < 2 * AHEAD; i++) fetch_operations(e, run[backwards ? n - 1 - i : i]);
  for (size_t i = 0; i < n && i < AHEAD; i++) fetch_messages(e, run[backwards ? n - 1 - i : i]);
}

/* None of them wakes another, but for those who wait for a flag. */
void ranks_run(timer *t) {
  engine *e = &t->engine;
  bool backwards = t->rule->last_rank_first;
  size_t first = 0;
  if (engine_is_large(e)) fetch_first(e, backwards);
  while (first < e->run_n) {
    size_t left = e->run_n - first;
    const int32_t *next = backwards ? &e->run[e->run_n - 1] : &e->run[first];
    ptrdiff_t step = backwards ? -1 : 1;
    if (left > 3 * AHEAD) fetch_rank(e, next[3 * AHEAD * step]);
    if (left > 2 * AHEAD) fetch_operations(e, next[2 * AHEAD * step]);
    if (left > AHEAD) fetch_messages(e, next[AHEAD * step]);
    if (left > AHEAD && t->rule->fetch) t->rule->fetch(t->state, next[AHEAD * step]);
    if (left > AHEAD / 2) fetch_peers(e, next[AHEAD / 2 * step]);
    int r = *next;
    if (backwards) e->run_n--;
    else first++;
    advance(t, r);
  }
  e->run_n = 0;
}

void ranks_begin(timer *t) {
  engine *e = &t->engine;
  int p = e->wiring.ranks;
  for (int r = 0; r < p && !t->is_late; r++) {
    if (r + 2 * AHEAD < p) fetch_operations(e, r + 2 * AHEAD);
    if (r + AHEAD < p) fetch_messages(e, r + AHEAD);
    advance(t, r);
  }
  ranks_run(t);
}
