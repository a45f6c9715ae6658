/* What the two rules of ports and the ranks they serve share: what has been posted, who waits, and what time it is. */
#ifndef COLLSCOPE_MODEL_ENGINE_H
#define COLLSCOPE_MODEL_ENGINE_H

#include "model/causes.h"
#include "model/match.h"

typedef struct {
  uint32_t next;   /* operation to do, or that is waited for */
  uint32_t waited; /* of consecutive waits: up to here all is there */
  double clock;
  uint32_t count;
  int32_t message;   /* waited for, or NONE */
  int32_t flag_link; /* next rank that waits for the same flag */
  int32_t received;  /* from whom since it last sent: NONE, a rank, or SEVERAL */
} rank_state;

typedef struct {
  double posted, start, end;
} message_times;

typedef struct engine {
  const machine *m;
  wiring wiring;
  rank_state *rank;
  size_t rank_cap;
  int32_t *run;
  size_t run_n, run_cap; /* ranks that can go on */
  double now;
  message_times *times; /* of each message and transfer; NULL unless they are wanted */
  causes *why;          /* NULL unless the time is to be explained */
  uint64_t draw;        /* of the noise; 0: none */
  size_t shares;        /* found so far: a flow's, whenever it may have changed */
  size_t bundle_after;  /* so many shares; 0: where it pays */
  uint32_t first_stamp; /* where the fluid rule begins to count what it solves; other than 0 in tests */
  uint32_t first_event; /* and its events, likewise */
  const char *refusal;  /* of the rule, on its way: why it cannot go on; NULL */
  double alarm;         /* a rank goes on then, whatever the messages do; INFINITY: none does */
  void (*completed)(void *player,
                    int32_t message); /* whoever plays plans hears of all; NULL: ranks wait for one at a time */
  void *player;
  const uint32_t
      *turn; /* of each message, whose sender posts it by plan: when, among all that are posted; NULL: in their order */
} engine;

/* A rule of what a message does to the ports of its ranks. Every function is handed the rule's own state. */
typedef struct {
  size_t bytes;                             /* of the state, which is zero at first */
  bool last_rank_first;                     /* of those woken at one instant */
  const char *(*prepare)(void *, engine *); /* before anything starts; NULL, or why it cannot be timed */
  void (*fetch)(void *, int rank); /* this rank will soon launch a message, most likely; NULL: it does not matter */
  /* What the busiest link carries takes so long, which no order of the messages can beat, where all are waited for; NULL: not known. */
  double (*busiest_s)(void *, const engine *);
  void (*launch)(void *, engine *, int32_t message); /* both sides of a message are there (or need not be) */
  bool (*next)(void *, engine *);   /* time moves on to the next event; false: nothing is left, or `refusal` */
  void (*events)(void *, engine *); /* all that happens now; arrivals wake ranks */
  void (*settle)(void *, engine *); /* these have run as far as they can: ports are given out again */
  void (*free)(void *);
} port_rule;

extern const port_rule one_port_rule, fluid_rule;

/* The message has arrived: whoever waits for it can go on. */
void engine_complete(engine *, int32_t message, double time);
/* Time moves on, to the next message's event or to the alarm; false: there is neither. */
bool engine_move(engine *, bool any, double next);
/* How much work the run was: what ranks did, messages, and shares of links. */
double engine_steps(const engine *);
/* The rank can go on. */
void engine_wake(engine *, int rank);
void engine_free(engine *);

/* Times that differ by less are the same: they were added up along different paths. */
static inline double tolerance(double t) { return t * 1e-13; }

/* The later of two arrivals decides; of two at once, the one with more messages behind it. */
static inline void take_later(double *time, uint32_t *count, double other, uint32_t other_count) {
  double slack = tolerance(*time);
  if (other > *time + slack) *time = other, *count = other_count;
  else if (other >= *time - slack) {
    if (other > *time) *time = other;
    if (other_count > *count) *count = other_count;
  }
}

/* Whether `take_later` takes the other one. */
static inline bool is_later(double time, uint32_t count, double other, uint32_t other_count) {
  double slack = tolerance(time);
  return other > time + slack || (other >= time - slack && other_count > count);
}

/* With many ranks nothing that is looked at is near what was looked at before. What comes next is known, and fetched so many steps
 * ahead, in stages: each follows what the one before has fetched. */
enum { AHEAD = 8, MANY_RANKS = 1 << 13 };

/* Whether what an instant needs lies far away even where little happens in it: the caches do not hold all flows. */
static inline bool engine_is_large(const struct engine *e) { return e->wiring.ranks >= MANY_RANKS; }

static inline message *message_at(const engine *e, int32_t id) { return &e->wiring.message[id]; }

static inline const machine_piece *engine_price(const engine *e, const message *m) { return message_price(m, e->m); }

/* What is left of a message's latency, or is added to it, in this draw of the noise. What crosses a shared segment is not a message. */
static inline double latency_drawn(const engine *e, int32_t id, double latency_s) {
  const message *m = message_at(e, id);
  if (!e->draw || m->flags & TRANSFER) return latency_s;
  latency_s += noise_of(&e->m->noise[machine_class_of(e->m, m->src, m->dst)], m->bytes, e->draw, id);
  return latency_s > 0 ? latency_s : 0;
}

/* What the sender spends before it posts. */
static inline double sender_spent(const engine *e, const message *m) {
  if (!(m->flags & (EAGER | NONBLOCKING))) return 0;
  return e->m->has_gaps ? machine_gap(e->m, engine_price(e, m), m->bytes) : e->m->overhead_s;
}

enum { SEVERAL = -2 };

/* The rank has taken in a message from another. */
static inline void note_received(const engine *e, int rank, int src) {
  int32_t *from = &e->rank[rank].received;
  if (e->m->has_turnarounds) *from = *from == NONE || *from == src ? src : SEVERAL;
}

/* What its sender spends before it, as it has received from another rank than it now sends to. */
static inline double turnaround_spent(const engine *e, const message *m) {
  int32_t *from = &e->rank[m->src].received;
  if (!e->m->has_turnarounds || *from == NONE) return 0;
  bool forwards = *from != m->dst;
  *from = NONE;
  return forwards ? machine_turnaround(e->m, m->src, m->dst, m->bytes, m->flags & NONBLOCKING) : 0;
}

#endif
