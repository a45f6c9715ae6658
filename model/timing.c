/* Time only moves when no rank can go on, so everything that is posted lies at or after the present. */
#include "model/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/busy.h"
#include "model/listing.h"
#include "model/ranks.h"

#define ROUNDED (1 - 1e-9) /* sums of a rank's work, in another order than its clock takes */

static void choose_rule(timer *t) {
  static const port_rule *const rules[MACHINE_RULES] = {
    [MACHINE_ONE_PORT] = &one_port_rule, [MACHINE_FLUID] = &fluid_rule
  };
  void **state = &t->states[t->engine.m->ports];
  t->rule = rules[t->engine.m->ports];
  if (!*state) *state = memset(array_grow(NULL, t->rule->bytes), 0, t->rule->bytes);
  t->state = *state;
}

static bool prepare(timer *t, const record *rec) {
  engine *e = &t->engine;
  const machine *m = e->m;
  char *error = t->out->error;
  size_t size = sizeof t->out->error;
  int p = rec->args.size;
  if (m->places && m->places < p) {
    snprintf(error, size, "the machine has places for %d ranks, the schedule has %d", m->places, p);
    return false;
  }
  wiring_for(&e->wiring, m, t->out->fresh);
  if (!wiring_make(&e->wiring, rec, error, size)) return false;
  wiring_begin(&e->wiring, m);
  e->times = NULL;
  if (t->out->want_messages) {
    RESERVE(t->times, t->times_cap, e->wiring.transfers);
    e->times = memset(t->times, 0, sizeof *t->times * e->wiring.transfers);
  }
  bool whole = true;
  for (int c = 0; c < MACHINE_CLASSES; c++) whole &= m->curve[c].pieces > 0 || !machine_has_class(m, c);
  for (size_t i = 0; i < (whole ? 0 : e->wiring.transfers); i++) {
    const message *one = message_at(e, (int32_t)i);
    machine_class c = machine_class_of(m, one->src, one->dst);
    if (m->curve[c].pieces || one->src == one->dst) continue;
    snprintf(error, size, "ranks %d and %d: the machine has no line for class %s", one->src, one->dst,
             machine_class_name(m, c));
    return false;
  }
  RESERVE(e->rank, e->rank_cap, p);
  t->out->marked_s = array_grow(t->out->marked_s, (size_t)p * sizeof *t->out->marked_s);
  memset(t->out->marked_s, 0, (size_t)p * sizeof *t->out->marked_s);
  for (int r = 0; r < p; r++) e->rank[r] = (rank_state){ .message = NONE, .flag_link = NONE, .received = NONE };
  e->run_n = 0;
  e->now = 0;
  e->why = t->out->why;
  e->draw = t->out->draw;
  e->shares = 0;
  e->bundle_after = t->out->bundle_after;
  e->first_stamp = t->out->first_stamp;
  e->first_event = t->out->first_event;
  e->refusal = NULL;
  e->alarm = INFINITY;
  e->completed = NULL;
  e->turn = NULL;
  if (e->why) causes_begin(e->why, p, e->wiring.transfers);
  for (int r = 0; t->out->late_s && r < p; r++) rank_busy(e, r, PART_ARRIVAL, t->out->late_s[r]);
  choose_rule(t);
  const char *why = t->rule->prepare(t->state, e);
  if (why) snprintf(error, size, "%s", why);
  return !why;
}

/* What a rank that is not done waits for. */
static void report_deadlock(timer *t, int r) {
  const engine *e = &t->engine;
  const wiring *w = &e->wiring;
  const rank_state *s = &e->rank[r];
  size_t at = w->first_op[r] + s->next;
  const char *site = t->rec->rank[r].site ? t->rec->rank[r].site[s->next] : NULL;
  bool awaits = (w->what[at] & KIND) == REC_AWAIT;
  const char *what = awaits ? "a flag" : side_of(e, r, s->next) == SENT ? "its send" : "its receive";
  const message *m = &w->message[s->message != NONE ? s->message : awaits ? (int32_t)w->value[w->of_op[at] + 1] : 0];
  snprintf(t->out->error, sizeof t->out->error, "deadlock: rank %d waits for ever in operation %u%s%s, %s with rank %d",
           r, s->next, site ? " at " : "", site ? site : "", what, m->src == r ? m->dst : m->src);
}

static int conclude(timer *t) {
  const engine *e = &t->engine;
  timing_result *out = t->out;
  const wiring *w = &e->wiring;
  int p = w->ranks;
  if (e->refusal) {
    snprintf(out->error, sizeof out->error, "%s", e->refusal);
    return -1;
  }
  for (int r = 0; r < p; r++)
    if (e->rank[r].next < w->first_op[r + 1] - w->first_op[r]) {
      report_deadlock(t, r);
      return -1;
    }
  out->rank_end_s = array_grow(out->rank_end_s, (size_t)p * sizeof *out->rank_end_s);
  out->ranks = p;
  uint32_t count = 0;
  out->last_rank = 0;
  for (int r = 0; r < p; r++) {
    out->rank_end_s[r] = e->rank[r].clock;
    if (is_later(out->makespan_s, count, e->rank[r].clock, e->rank[r].count)) out->last_rank = r;
    take_later(&out->makespan_s, &count, e->rank[r].clock, e->rank[r].count);
  }
  out->critical_messages = count;
  out->messages = w->messages;
  out->steps = engine_steps(e);
  if (out->want_messages) listing_make(out, w, t->times);
  return 0;
}

static timer *timer_of(timing_result *out) {
  if (!out->work) out->work = memset(array_grow(NULL, sizeof(timer)), 0, sizeof(timer));
  return out->work;
}

static bool see(void *result, const record *rec, int rank) {
  timing_result *out = result;
  engine *e = &timer_of(out)->engine;
  if (!rank) out->is_slower = false, out->slower_than_s = 0;
  if (out->stop_s > 0) {
    double busy_s = ROUNDED * busy_at_least(e->m, rec, rank);
    if (busy_s > out->slower_than_s) out->slower_than_s = busy_s;
    out->is_slower = busy_s > out->stop_s;
  }
  if (out->is_slower) return false;
  wiring_see(&e->wiring, rec, rank);
  return !(out->is_slower = out->max_operations && e->wiring.operations > out->max_operations);
}

record_viewer timing_viewer(timing_result *out, const machine *m) {
  timer_of(out)->engine.m = m;
  wiring_for(&timer_of(out)->engine.wiring, m, out->fresh);
  return (record_viewer){ see, out };
}

size_t timing_messages(const timing_result *out, const record *rec) {
  const timer *t = out->work;
  return t && rec->serial && t->engine.wiring.taken == rec->serial ? t->engine.wiring.messages : 0;
}

const wiring *timing_wiring(const timing_result *out) { return &((const timer *)out->work)->engine.wiring; }

/* Whether some rank ends after stop_s: its clock is there, or it waits for what happens now. */
static bool is_late(timer *t) {
  const engine *e = &t->engine;
  if (e->now <= t->stop_s) return false;
  int r = 0, p = e->wiring.ranks;
  while (r < p && e->rank[r].next == e->wiring.first_op[r + 1] - e->wiring.first_op[r]) r++;
  if (r == p) t->stop_s = INFINITY; /* all ranks are done, and what is left changes nothing */
  return t->is_late = r < p;
}

/* Whether every message is received before some rank ends. */
static bool all_waited_for(const wiring *w) {
  size_t receives = 0, waits = 0;
  for (size_t i = 0; i < w->operations; i++) {
    receives += (w->what[i] & KIND) == REC_IRECV;
    waits += (w->what[i] & (KIND | SENDING)) == REC_WAIT;
  }
  return receives == waits;
}

int timing_run(const record *rec, const machine *m, timing_result *out) {
  timer *t = timer_of(out);
  engine *e = &t->engine;
  if (rec->cut_short) return 0;
  e->m = m;
  t->rec = rec;
  t->out = out;
  out->makespan_s = 0;
  out->critical_messages = out->messages = out->transfers = out->spans = 0;
  *out->error = '\0';
  if (*rec->error) {
    snprintf(out->error, sizeof out->error, "%s", rec->error);
    return -1;
  }
  if (!prepare(t, rec)) return -1;
  if (out->want_messages) listing_prepare(out, &e->wiring);
  t->stop_s = out->stop_s > 0 ? out->stop_s : INFINITY;
  t->is_late = out->is_slower = out->is_unfinished = false;
  if (out->stop_s > 0 && t->rule->busiest_s && all_waited_for(&e->wiring)) {
    out->slower_than_s = ROUNDED * t->rule->busiest_s(t->state, e);
    out->is_slower = out->slower_than_s > out->stop_s;
    if (out->is_slower) return 0;
  }
  ranks_begin(t);
  while (!t->is_late && t->rule->next(t->state, e) && !is_late(t)) {
    t->rule->events(t->state, e);
    ranks_run(t);
    t->rule->settle(t->state, e);
    if (out->max_steps > 0 && engine_steps(e) > out->max_steps) {
      out->is_unfinished = true;
      return 0;
    }
  }
  if (t->is_late) out->slower_than_s = out->stop_s;
  out->is_slower = t->is_late;
  return t->is_late ? 0 : conclude(t);
}

void timing_free(timing_result *out) {
  timer *t = out->work;
  if (t) {
    engine_free(&t->engine);
    if (t->states[MACHINE_ONE_PORT]) one_port_rule.free(t->states[MACHINE_ONE_PORT]);
    if (t->states[MACHINE_FLUID]) fluid_rule.free(t->states[MACHINE_FLUID]);
    for (int i = 0; i < MACHINE_RULES; i++) free(t->states[i]);
    free(t->arrival);
    free(t->times);
    free(t);
  }
  free(out->rank_end_s);
  free(out->marked_s);
  free(out->message);
  free(out->begin_s);
  free(out->span);
  *out = (timing_result){ 0 };
}
