/* The machine of a timing: what a message costs between two ranks, and what it does to their ports (timing.h has the two
 * rules). Made from three numbers, or read from a machine file. */
#ifndef COLLSCOPE_MODEL_MACHINE_H
#define COLLSCOPE_MODEL_MACHINE_H

#include "collscope.h"
#include "model/given.h"
#include "model/inside.h"
#include "model/noise.h"
#include "model/routes.h"

typedef enum { MACHINE_ONE_PORT, MACHINE_FLUID, MACHINE_RULES } machine_ports;
/* The closest level that two ranks share. node: another socket of it; far: one that no link joins with the other. Levels of the
 * machine's own follow these. */
typedef enum {
  MACHINE_CACHE,
  MACHINE_SOCKET,
  MACHINE_NODE,
  MACHINE_FAR,
  MACHINE_NETWORK,
  MACHINE_LEVEL, /* the first of inside.level */
  MACHINE_CLASSES = MACHINE_LEVEL + INSIDE_LEVELS
} machine_class;

/* From `from` bytes up (until the next piece): a message takes latency_s, then bytes · s_per_byte when it is alone. A gap, where there
 * is one, is what the sender spends of that before it posts an eager or a non-blocking send.
 * traffic: bytes that links move for each byte of the message; only where the machine names its links, see
 * core_bytes_per_s. */
typedef struct {
  size_t from;
  double latency_s, s_per_byte, traffic;
  double gap_s, gap_s_per_byte;
  bool has_gap; /* else the sender spends the overhead, on top */
} machine_piece;
typedef struct {
  machine_piece *piece;
  int pieces;
} machine_curve;

typedef struct machine {
  machine_ports ports;
  double control_bytes; /* added to what every message makes flow */
  double gamma_s_per_byte, copy_s_per_byte;
  long long eager_bytes;      /* largest message whose send does not wait for its receive; -1: none */
  bool has_eager_nonblocking; /* non-blocking sends have a limit of their own */
  long long eager_bytes_nonblocking;
  /* Processor time of posting an eager send or an isend, and of taking in an eager message. */
  double overhead_s;
  machine_curve curve[MACHINE_CLASSES];       /* by the closest level that two ranks share */
  machine_curve nonblocking[MACHINE_CLASSES]; /* of non-blocking sends, where they have one of their own */
  /* What the receiver's processor spends on an eager message besides the overhead: pieces of latency_s and s_per_byte only, contained
   * in the message's time whichever curve that has. */
  machine_curve receive_gap[MACHINE_CLASSES];
  /* What a rank spends before the first send after having received from another rank than it sends to: pieces likewise, besides the
   * message's time; the second of non-blocking sends, where they have one of their own. */
  machine_curve turnaround[2][MACHINE_CLASSES];
  noise_curve noise[MACHINE_CLASSES]; /* drawn from where a timing asks for it */
  bool has_gaps, has_receive_gaps, has_turnarounds;
  bool in_order;    /* fluid: what goes from one rank to another flows one after the other, in the order of starting */
  double nic_gap_s; /* fluid: a NIC begins a message so long after the one before it, at the earliest */
  /* Scratch of at least fresh_from bytes is newly mapped in each call: writing a byte of it for the first time takes so long, before the
   * operation that does. 0: none is. */
  double first_touch_s_per_byte;
  long long fresh_from;
  /* Messages of at least read_in_place_from bytes within a node are read out of the sender's buffer by the receiver's core: each such byte
   * that is written afterwards, received into, copied or combined, takes so long once. 0: none does. */
  double invalidation_s_per_byte;
  long long read_in_place_from;
  double nic_bytes_per_s, memory_bytes_per_s; /* 0: not modelled */
  /* fluid. 0: a port that a class has for itself moves 1 / s_per_byte. Else the machine is as the platforms' plug-in
   * makes it: a message crosses the sender's port of this bandwidth, the NICs and the switch or the interconnect of
   * two sockets, the memory of the receiver's socket, and the receiver's port. It keeps them busy for its traffic;
   * what is left of its time alone it waits first. */
  double core_bytes_per_s, interconnect_bytes_per_s, switch_bytes_per_s;
  machine_inside inside;
  topology topology; /* of the links between nodes; with core_bytes_per_s only */
  /* Where routes are given: all messages go by them, latency_s of a piece multiplies the route's, and s_per_byte is not used. */
  given_network given;
  int places; /* 0: every rank has a node of its own */
  coll_place *place;
  double bound_alpha_s, bound_beta_s_per_byte, bound_gamma_s_per_byte; /* for coll_bound() and cost() */
} machine;

/* Reads a machine file (docs/metrics.md has its lines); "-" is standard input. Returns false, with "FILE:LINE: what is
 * wrong" in error[size], when it cannot. Free with machine_free in either case. */
bool machine_read(machine *, const char *path, char *error, size_t size);
void machine_free(machine *);

/* Uniform machines. The second has SimGrid's 16 control bytes, and every send waits for its receive. Copies are free;
 * set copy_s_per_byte to change that. */
machine machine_one_port(double alpha_s, double beta_s_per_byte, double gamma_s_per_byte);
machine machine_ideal_simgrid(double alpha_s, double beta_s_per_byte, double gamma_s_per_byte);

/* The closest level that two ranks share. */
static inline machine_class machine_class_of(const machine *m, int a, int b) {
  if (!m->places) return MACHINE_NETWORK;
  const coll_place *x = &m->place[a], *y = &m->place[b];
  if (x->node != y->node) return MACHINE_NETWORK;
  if (x->socket != y->socket)
    return m->inside.far && inside_steps(&m->inside, x->socket, y->socket) > 1 ? MACHINE_FAR : MACHINE_NODE;
  if (x->cache == y->cache) return MACHINE_CACHE;
  for (int i = 0; i < m->inside.levels; i++)
    if (x->cache / m->inside.level[i].caches == y->cache / m->inside.level[i].caches)
      return (machine_class)(MACHINE_LEVEL + i);
  return MACHINE_SOCKET;
}

static inline const machine_piece *machine_piece_for(const machine_curve *c, uint64_t bytes) {
  int i = c->pieces - 1;
  while (i > 0 && c->piece[i].from > bytes) i--;
  return &c->piece[i];
}

/* What a message of so many bytes costs from one rank to another. */
static inline const machine_piece *machine_price(const machine *m, int src, int dst, uint64_t bytes, bool nonblocking) {
  machine_class class = machine_class_of(m, src, dst);
  return machine_piece_for(nonblocking && m->nonblocking[class].pieces ? &m->nonblocking[class] : &m->curve[class],
                           bytes);
}

/* What its sender's processor spends on it, where it spends anything: on an eager send, and on every non-blocking one. */
static inline double machine_gap(const machine *m, const machine_piece *c, uint64_t bytes) {
  return c->has_gap ? c->gap_s + (double)bytes * c->gap_s_per_byte : m->overhead_s;
}

static inline double machine_spent(const machine_curve *c, uint64_t bytes) {
  if (!c->pieces) return 0;
  const machine_piece *p = machine_piece_for(c, bytes);
  return p->latency_s + (double)bytes * p->s_per_byte;
}

/* What the receiver's processor spends on an eager message, where machines say so (has_receive_gaps). */
static inline double machine_receive_gap(const machine *m, int src, int dst, uint64_t bytes) {
  return machine_spent(&m->receive_gap[machine_class_of(m, src, dst)], bytes);
}

/* What a rank spends that turns from having received to sending on, where machines say so (has_turnarounds). */
static inline double machine_turnaround(const machine *m, int src, int dst, uint64_t bytes, bool nonblocking) {
  machine_class class = machine_class_of(m, src, dst);
  return machine_spent(&m->turnaround[nonblocking && m->turnaround[true][class].pieces][class], bytes);
}

/* Whether there is a class of this number on the machine, and its name: "cache" … */
bool machine_has_class(const machine *, int class_number);
const char *machine_class_name(const machine *, int class_number);

#endif
