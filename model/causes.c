#include "model/causes.h"

#include <math.h>
#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/match.h"

const char *const part_names[PARTS] = {
  [PART_LATENCY] = "latency",
  [PART_BANDWIDTH] = "bandwidth",
  [PART_WAIT] = "wait",
  [PART_OVERHEAD] = "overhead",
  [PART_GAP] = "gap",
  [PART_RECEIVE_GAP] = "receive_gap",
  [PART_TURNAROUND] = "turnaround",
  [PART_NIC_GAP] = "nic_gap",
  [PART_ORDER] = "order",
  [PART_REDUCE] = "reduce",
  [PART_COPY] = "copy",
  [PART_INVALIDATION] = "invalidation",
  [PART_FIRST_TOUCH] = "first_touch",
  [PART_ARRIVAL] = "arrival",
};

void causes_begin(causes *c, int ranks, size_t messages) {
  if (c->stage != CAUSES_PATH) return;
  c->steps = 0;
  RESERVE(c->last, c->last_cap, (size_t)ranks);
  for (int r = 0; r < ranks; r++) c->last[r] = NONE;
  RESERVE(c->message, c->message_cap, messages);
  RESERVE(c->slot, c->slot_cap, messages);
  for (size_t i = 0; i < messages; i++) c->message[i].before = c->slot[i] = NONE;
}

void causes_free(causes *c) {
  free(c->step);
  free(c->last);
  free(c->message);
  free(c->slot);
  free(c->tracked);
  free(c->wait);
  free(c->load);
  *c = (causes){ 0 };
}

static void move(causes *c, cause_step s) {
  s.before = c->last[s.rank];
  c->last[s.rank] = (int32_t)c->steps;
  PUSH(c->step, c->steps, c->step_cap, s);
}

void causes_work(causes *c, int rank, part_kind part, double time) {
  move(c, (cause_step){ .time = time, .rank = rank, .message = NONE, .set_by = NONE, .part = part });
}

void causes_message(causes *c, int rank, int32_t id, double time) {
  move(c, (cause_step){ .time = time, .rank = rank, .message = id, .set_by = NONE });
}

void causes_flag(causes *c, int rank, int32_t set_by, double time) {
  move(c, (cause_step){ .time = time, .rank = rank, .message = NONE, .set_by = set_by, .part = PARTS });
}

void causes_post(causes *c, int32_t id, int rank, double time, double sender_waited_s) {
  c->message[id] = (message_cause){ .step = c->last[rank],
                                    .rank = rank,
                                    .before = NONE,
                                    .posted = time,
                                    .start = time,
                                    .sender_waited_s = sender_waited_s };
}

void causes_start(causes *c, int32_t id, int32_t before, double time) {
  c->message[id].before = before;
  c->message[id].start = time;
}

void causes_flow(causes *c, int32_t id, double ready, double time, double alone) {
  tracked *t = &c->tracked[c->slot[id]];
  t->ready = ready;
  t->flow = t->since = time;
  t->alone = alone;
  t->rate = alone;
  t->bottleneck = NONE;
}

/* The time since the last change is kept back by so much as the rate was below that of a message alone. */
void causes_rate(causes *c, int32_t id, double time, double rate, int32_t bottleneck) {
  tracked *t = &c->tracked[c->slot[id]];
  double kept = t->bottleneck == NONE ? 0 : (time - t->since) * fmax(0, 1 - t->rate / t->alone);
  if (kept > 0) {
    int32_t at = t->waits;
    while (at != NONE && c->wait[at].link != t->bottleneck) at = c->wait[at].next;
    if (at == NONE) {
      at = (int32_t)c->waits;
      PUSH(c->wait, c->waits, c->wait_cap, (link_wait){ .link = t->bottleneck, .next = t->waits });
      t->waits = at;
    }
    c->wait[at].seconds += kept;
  }
  t->since = time;
  t->rate = rate;
  t->bottleneck = bottleneck;
}

void causes_load(causes *c, double time, double load) {
  if (c->loads && fabs(c->load[c->loads - 1].load - load) < 1e-9) return;
  if (c->loads && c->load[c->loads - 1].time == time) c->load[c->loads - 1].load = load;
  else PUSH(c->load, c->loads, c->load_cap, (link_load){ time, load });
}
