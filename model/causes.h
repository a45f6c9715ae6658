/* What determined each instant of a timing. It is kept only where a time is to be explained (explain.h): engine.why is NULL otherwise, and
 * nothing is noted. A timing is then run up to three times, which is the same run each time: the first says what the critical path is,
 * the second what kept the messages on it from their full speed, the third how busy one link was. */
#ifndef COLLSCOPE_MODEL_CAUSES_H
#define COLLSCOPE_MODEL_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a part of the critical path is spent on. */
typedef enum {
  PART_LATENCY,     /* of a message, before its bytes flow */
  PART_BANDWIDTH,   /* its bytes, at the rate that it has when it is alone */
  PART_WAIT,        /* longer than that, because a link on its path is shared */
  PART_OVERHEAD,    /* the processor posts a message or takes it in */
  PART_GAP,         /* the sender's processor, where a machine has a gap for each message */
  PART_RECEIVE_GAP, /* the receiver's, likewise */
  PART_TURNAROUND,  /* the processor turns from a receive to a send to another rank */
  PART_NIC_GAP,     /* behind other messages that the NIC begins first */
  PART_ORDER,       /* behind an earlier message of the same pair */
  PART_REDUCE,
  PART_COPY,
  PART_INVALIDATION, /* what another core's cache has, too, is written */
  PART_FIRST_TOUCH,  /* pages of newly mapped memory are touched for the first time */
  PART_ARRIVAL,      /* the rank has not yet entered the call */
  PARTS
} part_kind;
extern const char *const part_names[PARTS];

/* A rank's clock moved. */
typedef struct {
  double time;    /* until here */
  int32_t before; /* its step before; NONE */
  int32_t rank;
  int32_t message; /* that has been waited for; NONE */
  int32_t set_by;  /* the step after which another rank set a flag that was waited for; NONE */
  part_kind part;  /* with neither of them: what the rank did */
} cause_step;

/* Why a message started when it did. */
typedef struct {
  int32_t step, rank; /* of the rank that was ready last; step NONE: it began with this */
  int32_t before;     /* one_port: the message that kept the port until then; NONE */
  double posted, start;
  double sender_waited_s; /* how long its sender had been ready when the receiver was */
} message_cause;

/* A message on the critical path, in the second run. */
typedef struct {
  int32_t message;
  double ready, flow;        /* its latency is over; its bytes begin to flow */
  double since, rate, alone; /* rate since then, and the one of a message alone */
  int32_t bottleneck, waits; /* the link that sets the rate; the first of its waits */
} tracked;

typedef struct {
  int32_t link, next;
  double seconds;
} link_wait;

typedef struct {
  double time, load; /* share of the link in use from then on */
} link_load;

typedef struct causes {
  enum { CAUSES_PATH, CAUSES_RATES, CAUSES_LOAD } stage;
  cause_step *step;
  size_t steps, step_cap;
  int32_t *last; /* [ranks]: the step last made */
  size_t last_cap;
  message_cause *message;
  size_t message_cap;
  int32_t *slot; /* [messages]: which of `tracked`; NONE */
  size_t slot_cap;
  tracked *tracked;
  size_t trackeds, tracked_cap;
  link_wait *wait;
  size_t waits, wait_cap;
  int32_t watched; /* link */
  link_load *load;
  size_t loads, load_cap;
} causes;

struct engine;
/* Before each run, and when its ranks are done. */
void causes_begin(causes *, int ranks, size_t messages);
void causes_free(causes *);

/* The rank's clock has come to `time` by what it did itself; by waiting for a message; by a flag that was set after another's step. */
void causes_work(causes *, int rank, part_kind, double time);
void causes_message(causes *, int rank, int32_t message, double time);
void causes_flag(causes *, int rank, int32_t set_by, double time);
/* The rank has posted its side of a message, and nobody is waited for longer than for it. */
void causes_post(causes *, int32_t message, int rank, double time, double sender_waited_s);
/* The message starts, because another one has left the port or (NONE) as soon as it was posted. */
void causes_start(causes *, int32_t message, int32_t before, double time);

/* Second run: its bytes begin to flow; from now on they have this rate, which that link sets; they are through. */
void causes_flow(causes *, int32_t message, double ready, double time, double alone);
void causes_rate(causes *, int32_t message, double time, double rate, int32_t bottleneck);
/* Third run: so much of the watched link is in use from now on. */
void causes_load(causes *, double time, double load);

static inline bool causes_enabled(const causes *c) { return c && c->stage == CAUSES_PATH; }
static inline bool causes_tracks(const causes *c, int32_t message) {
  return c && c->stage == CAUSES_RATES && c->slot[message] >= 0;
}

#endif
