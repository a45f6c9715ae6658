#include "model/nonblocking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/schedule/array.h"

enum { IN_START /* 0 */, COMPUTING, CALLED, LOOKING, THROUGH };
/* Whose nodes are let go. */
enum { OF_NIC = 1, OF_HOST = 2, OF_ALL = OF_NIC | OF_HOST };

/* ---- ready nodes ------------------------------------------------------------------------------------- */

static void ready_add(ready_nodes *d, uint32_t node) {
  PUSH(d->node, d->n, d->cap, node);
  size_t i = d->n - 1;
  for (; i && d->node[(i - 1) / 2] > node; i = (i - 1) / 2) d->node[i] = d->node[(i - 1) / 2];
  d->node[i] = node;
}

static uint32_t ready_take(ready_nodes *d) {
  uint32_t first = d->node[0], last = d->node[--d->n];
  size_t i = 0, child;
  for (; (child = 2 * i + 1) < d->n; i = child) {
    if (child + 1 < d->n && d->node[child + 1] < d->node[child]) child++;
    if (last <= d->node[child]) break;
    d->node[i] = d->node[child];
  }
  d->node[i] = last;
  return first;
}

/* ---- nodes ------------------------------------------------------------------------------------------- */

static const plan_node *node_at(const nonblocking *b, int r, uint32_t node) { return &b->rank[r].plan->node[node]; }

static message *message_of(const nonblocking *b, int r, uint32_t node) {
  return message_at(&b->engine, b->message[b->rank[r].base + node]);
}

/* The NIC works on it: what joins others does so for NIC and host alike. */
static bool is_offloaded(const nonblocking *b, int r, uint32_t node) {
  const plan_node *n = node_at(b, r, node);
  if (!b->use.offload) return false;
  return n->kind == NODE_JOIN ||
         (node_is_message(n) && n->peer != r && machine_class_of(b->engine.m, r, n->peer) == MACHINE_NETWORK);
}

static void begin_offloaded(nonblocking *b, int r, uint32_t node);
static void host_knows(nonblocking *b, int r, uint32_t node, int whose);

/* Nothing that the node waits for is left. */
static void may_begin(nonblocking *b, int r, uint32_t node) {
  const plan_node *n = node_at(b, r, node);
  if (is_offloaded(b, r, node)) begin_offloaded(b, r, node);
  else ready_add(node_is_message(n) ? &b->rank[r].messages : &b->rank[r].work, node);
}

/* Lets go those who wait until the node is over, or (`kind` EDGE_POSTED) until it is posted, which it is since `time`: the NIC's, the
 * host's or both. */
static void let_go(nonblocking *b, int r, uint32_t node, uint32_t kind, int whose, double time) {
  for (plan_edges e = plan_edges_of(b->rank[r].plan, node); e.at < e.end; e.at++) {
    uint32_t to = *e.at & ~EDGE_POSTED;
    size_t at = b->rank[r].base + to;
    if ((*e.at & EDGE_POSTED) != kind || !(whose & (is_offloaded(b, r, to) ? OF_NIC : OF_HOST))) continue;
    if (time > b->from[at]) b->from[at] = time;
    if (!--b->left[at]) may_begin(b, r, to);
  }
}

static void host_knows(nonblocking *b, int r, uint32_t node, int whose) {
  nonblocking_rank *k = &b->rank[r];
  b->over[k->base + node] = true;
  k->through++;
  while (k->first < k->plan->nodes && b->over[k->base + k->first]) k->first++;
  let_go(b, r, node, 0, whose, b->engine.rank[r].clock);
}

/* A message is over, or what the NIC joins: the NIC goes on at once, the host when it looks. */
static void is_over(nonblocking *b, int r, uint32_t node, double time) {
  nonblocking_rank *k = &b->rank[r];
  if (is_offloaded(b, r, node)) {
    let_go(b, r, node, 0, OF_NIC, time);
    PUSH(k->news, k->newses, k->news_cap, node);
  } else b->over[k->base + node] = true;
  if (!k->blocked) return;
  k->blocked = false;
  engine_wake(&b->engine, r);
}

/* ---- messages ---------------------------------------------------------------------------------------- */

/* Its side is there. An eager send is over with that. */
static void post(nonblocking *b, int r, uint32_t node, double time) {
  message *m = message_of(b, r, node);
  bool sends = node_at(b, r, node)->kind == NODE_SEND, second = m->flags & (SENT | RECEIVED), eager = m->flags & EAGER;
  m->flags |= sends ? SENT : RECEIVED;
  if (sends) b->turn[b->message[b->rank[r].base + node]] = b->turns++;
  if (!second) m->count = 0; /* rounds are not counted */
  if (!eager) m->time = second && m->time > time ? m->time : time;
  else if (sends) m->time = time;
  if (eager ? sends : second)
    b->rule->launch(b->state[b->engine.m->ports], &b->engine, b->message[b->rank[r].base + node]);
  if (eager && (sends || m->flags & DONE)) is_over(b, r, node, time);
  let_go(b, r, node, EDGE_POSTED, OF_ALL, time);
}

static void begin_offloaded(nonblocking *b, int r, uint32_t node) {
  double time = b->from[b->rank[r].base + node];
  if (node_at(b, r, node)->kind == NODE_JOIN) is_over(b, r, node, time);
  else post(b, r, node, time);
}

/* Rules take no message while they go through what happens at one instant: so what follows from it comes after that. */
static void message_is_done(void *self, int32_t id) {
  nonblocking *b = self;
  PUSH(b->done, b->dones, b->done_cap, id);
}

static void follow_messages(nonblocking *b) {
  for (size_t i = 0; i < b->dones; i++) {
    int32_t id = b->done[i];
    const message *m = message_at(&b->engine, id);
    if (!(m->flags & EAGER)) is_over(b, m->src, b->send_node[id], m->time);
    if (m->flags & RECEIVED) is_over(b, m->dst, b->recv_node[id], m->time);
  }
  b->dones = 0;
}

/* ---- a host ------------------------------------------------------------------------------------------ */

static void spend(nonblocking *b, int r, double seconds) { b->engine.rank[r].clock += seconds; }

static void will_write(nonblocking *b, int r, int buf, uint64_t off, uint64_t bytes) {
  byte_set *u = &b->rank[r].untouched;
  if (u->n && buf == REC_SCRATCH)
    spend(b, r, (double)byte_set_remove(u, off, bytes) * b->engine.m->first_touch_s_per_byte);
}

static void begin_message(nonblocking *b, int r, uint32_t node) {
  nonblocking_rank *k = &b->rank[r];
  const plan_node *n = node_at(b, r, node);
  if (n->kind == NODE_RECV) will_write(b, r, n->buf, n->off, n->bytes);
  else
    spend(b, r,
          turnaround_spent(&b->engine, message_of(b, r, node)) + sender_spent(&b->engine, message_of(b, r, node)));
  PUSH(k->posted, k->posteds, k->posted_cap, node);
  post(b, r, node, b->engine.rank[r].clock);
}

static void begin_work(nonblocking *b, int r, uint32_t node) {
  const plan_node *n = node_at(b, r, node);
  const machine *m = b->engine.m;
  if (n->kind != NODE_JOIN) {
    will_write(b, r, n->buf2, n->off2, n->bytes);
    spend(b, r, (double)n->bytes * (n->kind == NODE_REDUCE ? m->gamma_s_per_byte : m->copy_s_per_byte));
  }
  host_knows(b, r, node, OF_ALL);
}

static void begin_ready(nonblocking *b, int r) {
  nonblocking_rank *k = &b->rank[r];
  for (;;) {
    if (k->messages.n && plan_may_post(k->plan, k->messages.node[0], k->first, k->posteds))
      begin_message(b, r, ready_take(&k->messages));
    else if (k->work.n) begin_work(b, r, ready_take(&k->work));
    else break;
  }
}

/* Those that were found go out of the array as the player takes them out: the last ones move to where they were. */
static void take_out(nonblocking_rank *k) {
  for (size_t i = 0; i < k->founds; i++) k->posted[k->found[i].place] = NODE_NOBODY;
  for (size_t i = 0; i < k->founds; i++) {
    while (k->posteds && k->posted[k->posteds - 1] == NODE_NOBODY) k->posteds--;
    if (k->found[i].place < k->posteds) k->posted[k->found[i].place] = k->posted[--k->posteds];
  }
}

/* Takes in what is over at this place, if it is. */
static void take_in(nonblocking *b, int r, uint32_t place) {
  nonblocking_rank *k = &b->rank[r];
  uint32_t node = k->posted[place];
  if (!b->over[k->base + node] || (k->founds && k->found[0].place == place)) return;
  PUSH(k->found, k->founds, k->found_cap, (found_node){ place, node });
  const message *m = message_of(b, r, node);
  if (node_at(b, r, node)->kind != NODE_RECV) return;
  note_received(&b->engine, r, m->src);
  if (m->flags & EAGER) spend(b, r, b->engine.m->overhead_s + message_received(m, b->engine.m));
}

/* One look at all that is outstanding, in the order of MPI_Testsome, or of MPI_Waitsome: the first that is over, then all. What is taken
 * in takes its time, in which more may come: false where others have their turn. */
static bool look(nonblocking *b, int r) {
  nonblocking_rank *k = &b->rank[r];
  double before = b->engine.rank[r].clock;
  bool waits = !(b->use.poll_s > 0);
  for (uint32_t i = 0; waits && !k->looked_at && !k->founds && i < k->posteds; i++) take_in(b, r, i);
  while (b->engine.rank[r].clock == before && k->looked_at < k->posteds) take_in(b, r, (uint32_t)k->looked_at++);
  if (b->engine.rank[r].clock > before) return false;
  take_out(k);
  for (size_t i = 0; i < k->founds; i++) host_knows(b, r, k->found[i].node, OF_ALL);
  for (size_t i = 0; i < k->newses; i++) host_knows(b, r, k->news[i], OF_HOST);
  k->founds = k->newses = k->looked_at = 0;
  begin_ready(b, r);
  return true;
}

static bool has_arrivals(const nonblocking *b, int r) {
  const nonblocking_rank *k = &b->rank[r];
  bool any = k->newses;
  for (size_t i = 0; i < k->posteds && !any; i++) any = b->over[k->base + k->posted[i]];
  return any;
}

/* The call is over; what comes next takes until the rank's clock. */
static void compute(nonblocking *b, int r) {
  nonblocking_rank *k = &b->rank[r];
  double work = b->use.poll_s > 0 ? b->use.poll_s : b->use.work_s;
  spend(b, r, work);
  k->work_s += work;
  k->phase = COMPUTING;
}

static void conclude_rank(nonblocking *b, int r) {
  b->rank[r].phase = THROUGH;
  b->end_s[r] = b->engine.rank[r].clock;
  b->work_s[r] = b->rank[r].work_s;
}

/* Goes on until it computes, waits or is through. Where its clock is ahead of the time, others come first. */
static void go_on(nonblocking *b, int r) {
  nonblocking_rank *k = &b->rank[r];
  engine *e = &b->engine;
  double *clock = &e->rank[r].clock;
  bool polls = b->use.poll_s > 0;
  while (k->phase != THROUGH) {
    if (*clock > e->now + tolerance(e->now)) {
      event_queue_add(&b->alarms, (uint64_t)r, *clock);
      return;
    }
    if (*clock < e->now) *clock = e->now;
    bool through = k->through == k->plan->nodes;
    switch (k->phase) {
      case IN_START:
        begin_ready(b, r);
        compute(b, r);
        break;
      case COMPUTING: k->phase = polls ? LOOKING : CALLED; break;
      case CALLED: /* a wait, before it looks */
        if (through) conclude_rank(b, r);
        else if (has_arrivals(b, r)) k->phase = LOOKING;
        else {
          k->blocked = true;
          return;
        }
        break;
      case LOOKING:
        if (!look(b, r)) break;
        if (!polls) k->phase = CALLED;
        else if (k->through == k->plan->nodes) conclude_rank(b, r);
        else compute(b, r);
    }
  }
}

/* ---- a run ------------------------------------------------------------------------------------------- */

/* What waits for nothing: the NIC begins its part at once. What that lets go of has its turn in `release`. */
static void start(nonblocking *b, int r) {
  nonblocking_rank *k = &b->rank[r];
  b->firsts = 0;
  for (uint32_t i = 0; i < k->plan->nodes; i++)
    if (!b->left[k->base + i]) PUSH(b->first, b->firsts, b->first_cap, i);
  for (size_t i = 0; i < b->firsts; i++) may_begin(b, r, b->first[i]);
  go_on(b, r);
}

/* Ranks whose clocks time has reached, and those that something has arrived for. */
static void run_ranks(nonblocking *b) {
  engine *e = &b->engine;
  double time;
  follow_messages(b);
  while (event_queue_next(&b->alarms, &time) && time <= e->now + tolerance(e->now)) {
    moment *q = event_queue_take(&b->alarms);
    for (size_t i = 0; i < q->n; i++) engine_wake(e, (int)q->item[i]);
    q->n = 0;
  }
  for (size_t i = 0; i < e->run_n; i++) { go_on(b, e->run[b->rule->last_rank_first ? e->run_n - 1 - i : i]); }
  e->run_n = 0;
}

static int conclude(nonblocking *b) {
  b->makespan_s = 0;
  b->last_rank = 0;
  if (b->engine.refusal) return snprintf(b->error, sizeof b->error, "%s", b->engine.refusal), -1;
  for (int r = 0; r < b->ranks; r++) {
    if (b->rank[r].phase != THROUGH) {
      snprintf(b->error, sizeof b->error, "deadlock: rank %d waits for ever, with %u of %u operations over", r,
               b->rank[r].through, b->rank[r].plan->nodes);
      return -1;
    }
    if (b->end_s[r] <= b->makespan_s) continue;
    b->makespan_s = b->end_s[r];
    b->last_rank = r;
  }
  return 0;
}

int nonblocking_run(nonblocking *b, const record *rec, const machine *m, nonblocking_use use) {
  engine *e = &b->engine;
  *b->error = '\0';
  if (*rec->error) return snprintf(b->error, sizeof b->error, "%s", rec->error), -1;
  b->use = use;
  if (!nonblocking_lay_out(b, rec, m)) return -1;
  const char *why = nonblocking_rewind(b);
  if (why) return snprintf(b->error, sizeof b->error, "%s", why), -1;
  e->completed = message_is_done;
  e->player = b;
  void *state = b->state[m->ports];
  for (int r = 0; r < b->ranks; r++) start(b, r);
  for (;;) {
    if (!event_queue_next(&b->alarms, &e->alarm)) e->alarm = INFINITY;
    if (!b->rule->next(state, e)) break;
    b->rule->events(state, e);
    run_ranks(b);
    b->rule->settle(state, e);
  }
  return conclude(b);
}
