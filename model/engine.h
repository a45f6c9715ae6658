/* The inside of the timing engine: what match.c, one_port.c, fluid.c and timing.c share. */
#ifndef COLLSCOPE_MODEL_ENGINE_H
#define COLLSCOPE_MODEL_ENGINE_H

#include "model/timing.h"

#include <stdio.h>
#include <stdlib.h>

enum { NONE = -1 };
enum { KIND = 15, SENDING = 16 };               /* of engine.what */
enum { SENT = 1, RECEIVED = 2, EAGER = 4, STARTED = 8, FLOWING = 16, DONE = 32, TRANSFER = 64 };

typedef struct {
  int32_t src, dst;
  uint32_t send, recv;          /* operations of the two */
  int32_t link;                 /* next in a queue: of its pair while messages are matched, of a busy port under one_port;
                                   its flow under fluid; of a line not yet under way: its flag */
  uint32_t count;               /* messages on the path that led here */
  uint8_t label, flags;
  uint64_t bytes;
  double posted, start, end;
} message;

typedef struct {
  size_t next;                  /* operation to do, or that is waited for */
  double clock;
  uint32_t count;
  int32_t message;              /* waited for, or NONE */
  int32_t flag_link;            /* next rank that waits for the same flag */
  size_t waited;                /* in a row of waits: up to here all is there */
} rank_state;

/* Messages of one source, destination and label match in order. */
typedef struct { uint64_t key; uint32_t stamp; int32_t head, tail; } pair_queue;

typedef struct { double time; uint32_t order; int32_t id; } event;
typedef struct { double end; int32_t message; uint8_t side; } arrival;

typedef struct { bool busy; double since; uint32_t count; int32_t head, tail; } busy_port;

/* one_port: what happens at one instant. Schedules are regular, so many messages share theirs. */
typedef struct { double time; int32_t *id; size_t n, cap; } moment;
enum { RECENT = 16 };

/* A message that uses bandwidth. What is left of it and its rate are in shares of a port (1: it has the port for
 * itself) or in bytes of traffic, as the machine has it. */
enum { CROSSED = 6 };
typedef struct {
  int32_t message;
  int crossed;
  int32_t resource[CROSSED], next[CROSSED], before[CROSSED];
  double weight[CROSSED];       /* how much of the resource a rate of 1 takes up */
  double left, rate, since, share, most;
  uint32_t stamp;
  bool fixed;
} flow;

typedef struct { int32_t head; int flows; int open; uint32_t stamp; double left, demand; } resource;

enum { FLAG_LINE = 64 };        /* bytes: a flag's cache line comes from the rank that set it to the one that sees it change */
typedef struct { uint64_t value; double time; uint32_t count; int32_t rank; } publication;
typedef struct { publication *list; int n, cap; int32_t waiting; } flag_state;

typedef struct {
  message *message; size_t messages, transfers, message_cap;
  uint64_t matched;                             /* serial of the record whose messages these are; 0: none */
  int32_t *line; size_t lines, line_cap;        /* flag of each transfer, or NONE */
  rank_state *rank; size_t rank_cap;
  int32_t *of_op; size_t op_cap;                /* message (or flag) of each operation */
  uint8_t *what; size_t what_cap;               /* its kind, and the side of the message it may wait for: all that
                                                   most operations are asked, run after run */
  size_t *first_op; size_t first_cap;
  pair_queue *pair; size_t pairs, pair_cap; uint32_t pair_stamp;
  event *heap; size_t heap_n, heap_cap;
  uint32_t *where; size_t where_cap;            /* place of each message in the heap */
  uint32_t order;
  int32_t *run; size_t run_n, run_cap;          /* ranks that can go on */
  arrival *arrival; size_t arrivals, arrival_cap;
  busy_port *port; size_t port_cap;
  moment *moment; size_t moments, moment_cap;
  int32_t *idle; size_t idle_n, idle_cap;       /* moments that are over */
  int32_t *due; size_t due_n, due_cap;          /* a heap of moments by time */
  int32_t recent[RECENT];                       /* moments lately added to, by a hash of their time */
  int32_t *ready; size_t ready_n, ready_cap;
  int32_t *freed; size_t freed_n, freed_cap;
  flow *flow; size_t flows, flow_cap;
  int32_t *spare; size_t spare_n, spare_cap;
  resource *resource; size_t resource_cap; int resources;
  int32_t *dirty; size_t dirty_n, dirty_cap;
  int32_t *reached; size_t reached_n, reached_cap;
  int32_t *solved; size_t solved_n, solved_cap;
  uint32_t stamp;
  flag_state *flag; size_t flags, flag_cap;
  const record *rec;
  const machine *m;
  timing_result *out;
  int nodes, sockets, span;                     /* span: sockets of a node */
  int32_t *lowest_socket; size_t lowest_socket_cap;
  double now;
} engine;

/* ---- small things ----------------------------------------------------------------------------------- */

static inline void *engine_reserve(void *old, size_t *cap, size_t n, size_t item)
{
  if (n <= *cap) return old;
  size_t more = *cap ? *cap : 16;
  while (more < n) more *= 2;
  void *p = realloc(old, more * item);
  if (!p) { fprintf(stderr, "timing: out of memory (%zu bytes)\n", more * item); abort(); }
  *cap = more;
  return p;
}
#define RESERVE(array, cap, n) ((array) = engine_reserve((array), &(cap), (n), sizeof *(array)))
#define PUSH(array, n, cap, value) (RESERVE(array, cap, (n) + 1), (array)[(n)++] = (value))

/* Times that differ by less are the same: they were added up along different ways. */
static inline double close_to(double t) { return t * 1e-13; }

/* The later of two arrivals decides; of two at once, the one with more messages behind it. */
static inline void later(double *time, uint32_t *count, double other, uint32_t other_count)
{
  double slack = close_to(*time);
  if (other > *time + slack) *time = other, *count = other_count;
  else if (other >= *time - slack) {
    if (other > *time) *time = other;
    if (other_count > *count) *count = other_count;
  }
}

static inline const rec_op *op_at(const engine *e, int r, size_t i) { return &e->rec->rank[r].op[i]; }

static inline bool sends(uint8_t kind) { return kind == REC_SEND || kind == REC_ISEND; }
static inline bool receives(uint8_t kind) { return kind == REC_RECV || kind == REC_IRECV || kind == REC_RECV_ANY; }

static inline machine_class class_of(const engine *e, int a, int b)
{
  if (!e->m->places) return MACHINE_NETWORK;
  const coll_place *x = &e->m->place[a], *y = &e->m->place[b];
  if (x->node != y->node) return MACHINE_NETWORK;
  if (x->socket != y->socket) return MACHINE_NODE;
  return x->cache == y->cache ? MACHINE_CACHE : MACHINE_SOCKET;
}

static inline const machine_piece *piece_of(const machine_curve *c, uint64_t bytes)
{
  int i = c->pieces - 1;
  while (i > 0 && c->piece[i].from > bytes) i--;
  return &c->piece[i];
}

static inline const machine_piece *price(const engine *e, const message *m)
{ return piece_of(&e->m->curve[class_of(e, m->src, m->dst)], m->bytes); }

/* ---- timing.c --------------------------------------------------------------------------------------- */

/* fluid's heap holds messages by the time of their next event; of two at once the one that was put in first comes
 * first. */
void engine_push(engine *, int32_t message, double time);
void engine_move(engine *, int32_t message, double time);   /* put in if it is not there */
event engine_pop(engine *);
/* The message has arrived: whoever waits for it can go on. */
void engine_complete(engine *, int32_t message, double time);
int engine_failed(engine *, const char *format, int a, int b);

/* ---- match.c ---------------------------------------------------------------------------------------- */

/* Gives every operation its message or its flag. Returns 0, or -1 with the result's error set. */
int engine_match(engine *);
/* Everything that is matched is as it was before the first run. */
void engine_begin(engine *);

/* ---- the two rules of ports ------------------------------------------------------------------------- */

/* prepare: before anything starts. launch: both sides of a message are there (or need not be). next: time moves on to
 * the next event; false: there is none. events: all that happens now; arrivals wake ranks. settle: these have run as
 * far as they can; ports are given out anew. */
void one_port_prepare(engine *);
bool one_port_next(engine *);
void one_port_launch(engine *, int32_t message);
void one_port_events(engine *);
void one_port_settle(engine *);

void fluid_prepare(engine *);
bool fluid_next(engine *);
void fluid_launch(engine *, int32_t message);
void fluid_events(engine *);
void fluid_settle(engine *);

#endif
