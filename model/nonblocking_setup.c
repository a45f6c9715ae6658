/* Plans and messages of a schedule, and how they stand before anything has begun. */
#include <stdio.h>
#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/nonblocking.h"

static void forget_plans(nonblocking *b) {
  for (size_t i = 0; i < b->plans; i++) coll_plan_free(b->plan[i]);
  b->plans = b->nodes = 0;
}

static bool shares_segments(const rec_rank *k) {
  for (size_t i = 0; i < k->n; i++)
    if (k->op[i].kind >= REC_WRITE && k->op[i].kind <= REC_AWAIT) return true;
  return false;
}

static bool see(void *self, const record *r, int rank) {
  nonblocking *b = self;
  if (!rank) {
    forget_plans(b);
    b->shares_segments = false;
  }
  b->shares_segments |= shares_segments(&r->rank[rank]);
  if (b->shares_segments) return false;
  wiring_see(&b->engine.wiring, r, rank);
  PUSH(b->plan, b->plans, b->plan_cap, coll_plan_of(r, rank));
  return true;
}

record_viewer nonblocking_viewer(nonblocking *b, const machine *m) {
  wiring_for(&b->engine.wiring, m, false);
  return (record_viewer){ see, b };
}

/* Nodes stand in the order of the text, as operations do: so a rank's k-th send is the k-th of its nodes that send. */
static void find_messages(nonblocking *b, int r) {
  const wiring *w = &b->engine.wiring;
  const nonblocking_rank *k = &b->rank[r];
  size_t send = w->first_op[r], recv = w->first_op[r];
  for (uint32_t i = 0; i < k->plan->nodes; i++) {
    bool sends = k->plan->node[i].kind == NODE_SEND;
    b->message[k->base + i] = NONE;
    if (!node_is_message(&k->plan->node[i])) continue;
    size_t *at = sends ? &send : &recv;
    while (!(sends ? rec_sends(w->what[*at] & KIND) : rec_receives(w->what[*at] & KIND))) ++*at;
    int32_t id = w->of_op[(*at)++];
    b->message[k->base + i] = id;
    (sends ? b->send_node : b->recv_node)[id] = i;
  }
}

bool nonblocking_lay_out(nonblocking *b, const record *rec, const machine *m) {
  engine *e = &b->engine;
  int p = rec->args.size;
  e->m = m;
  if (m->places && m->places < p) {
    snprintf(b->error, sizeof b->error, "the machine has places for %d ranks, the schedule has %d", m->places, p);
    return false;
  }
  if (!wiring_make(&e->wiring, rec, b->error, sizeof b->error)) return false;
  for (size_t i = 0; i < e->wiring.messages; i++) e->wiring.message[i].flags |= NONBLOCKING;
  b->ranks = p;
  RESERVE_ZEROED(b->rank, b->rank_cap, p);
  RESERVE(e->rank, e->rank_cap, p);
  RESERVE(b->end_s, b->end_cap, p);
  RESERVE(b->work_s, b->work_cap, p);
  b->nodes = 0;
  for (int r = 0; r < p; r++) {
    b->rank[r].plan = b->plan[r];
    b->rank[r].base = b->nodes;
    b->nodes += b->plan[r]->nodes;
  }
  RESERVE(b->message, b->node_cap, b->nodes);
  RESERVE(b->left, b->left_cap, b->nodes);
  RESERVE(b->from, b->from_cap, b->nodes);
  RESERVE(b->over, b->over_cap, b->nodes + 1);
  RESERVE(b->turn, b->turn_cap, e->wiring.messages);
  RESERVE(b->send_node, b->send_cap, e->wiring.messages);
  RESERVE(b->recv_node, b->recv_cap, e->wiring.messages);
  for (int r = 0; r < p; r++) find_messages(b, r);
  return true;
}

const char *nonblocking_rewind(nonblocking *b) {
  static const port_rule *const rules[MACHINE_RULES] = {
    [MACHINE_ONE_PORT] = &one_port_rule, [MACHINE_FLUID] = &fluid_rule
  };
  engine *e = &b->engine;
  const machine *m = e->m;
  wiring_begin(&e->wiring, m);
  memset(b->left, 0, sizeof *b->left * b->nodes);
  memset(b->over, 0, b->nodes);
  for (size_t i = 0; i < b->nodes; i++) b->from[i] = 0;
  for (int r = 0; r < b->ranks; r++) {
    nonblocking_rank *k = &b->rank[r];
    e->rank[r] = (rank_state){ .message = NONE, .flag_link = NONE, .received = NONE };
    k->through = k->first = 0;
    k->work_s = 0;
    k->phase = 0;
    k->blocked = false;
    k->messages.n = k->work.n = k->posteds = k->looked_at = k->founds = k->newses = k->untouched.n = 0;
    if (m->first_touch_s_per_byte > 0 && k->plan->scratch >= (size_t)m->fresh_from)
      byte_set_add(&k->untouched, 0, k->plan->scratch);
    for (plan_edges i = plan_all_edges(k->plan); i.at < i.end; i.at++) b->left[k->base + (*i.at & ~EDGE_POSTED)]++;
  }
  e->now = 0;
  e->run_n = 0;
  e->turn = b->turn;
  b->turns = 0;
  b->dones = 0;
  e->times = NULL;
  e->why = NULL;
  e->draw = 0;
  e->shares = 0;
  e->bundle_after = b->bundle_after;
  e->refusal = NULL;
  event_queue_clear(&b->alarms);
  b->rule = rules[m->ports];
  void **state = &b->state[m->ports];
  if (!*state) *state = memset(array_grow(NULL, b->rule->bytes), 0, b->rule->bytes);
  return b->rule->prepare(*state, e);
}

void nonblocking_free(nonblocking *b) {
  forget_plans(b);
  engine_free(&b->engine);
  if (b->state[MACHINE_ONE_PORT]) one_port_rule.free(b->state[MACHINE_ONE_PORT]);
  if (b->state[MACHINE_FLUID]) fluid_rule.free(b->state[MACHINE_FLUID]);
  for (int i = 0; i < MACHINE_RULES; i++) free(b->state[i]);
  for (size_t r = 0; r < b->rank_cap; r++) {
    free(b->rank[r].messages.node);
    free(b->rank[r].work.node);
    free(b->rank[r].posted);
    free(b->rank[r].found);
    free(b->rank[r].news);
    byte_set_free(&b->rank[r].untouched);
  }
  free(b->rank);
  free(b->plan);
  free(b->end_s);
  free(b->work_s);
  free(b->message);
  free(b->left);
  free(b->from);
  free(b->over);
  free(b->send_node);
  free(b->turn);
  free(b->recv_node);
  free(b->first);
  free(b->done);
  event_queue_free(&b->alarms);
  *b = (nonblocking){ 0 };
}
