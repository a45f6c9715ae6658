/* Ranks run ahead through their lists until they must wait for a message. */
#ifndef COLLSCOPE_MODEL_RANKS_H
#define COLLSCOPE_MODEL_RANKS_H

#include "model/engine.h"
#include "model/timing.h"

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
  message_times *times;
  size_t times_cap;
  timing_result *out;
  const record *rec;
  double stop_s; /* INFINITY: every time is of interest */
  bool is_late;  /* some rank ends after stop_s */
} timer;

/* The side of its message that the i-th operation of a rank waits for. */
static inline uint8_t side_of(const engine *e, int rank, size_t i) {
  return e->wiring.what[e->wiring.first_op[rank] + i] & SENDING ? SENT : RECEIVED;
}

/* The rank spends time on work of its own. */
static inline void rank_busy(engine *e, int rank, part_kind part, double takes_s) {
  e->rank[rank].clock += takes_s;
  if (takes_s > 0 && causes_enabled(e->why)) causes_work(e->why, rank, part, e->rank[rank].clock);
}

/* All ranks begin. */
void ranks_begin(timer *);
/* All that can go on do. */
void ranks_run(timer *);

#endif
