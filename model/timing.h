/* Timing a recorded schedule on a model of a machine: when every rank is done, and when each message is on its way.
 *
 * Two rules of what a message does to the ports of its ranks stand side by side.
 *
 * one_port, where cost() lives: a rank sends one message and receives one message at a time. A message of n bytes takes
 * alpha + n beta, all of which occupies both ports; it starts when both sides have posted it and both ports are free.
 * Among messages that could start, the one that could start first does; then the sender's program order decides.
 *
 * fluid, as SimGrid does it: a message starts when both sides have posted it (rendezvous) or, up to the eager limit,
 * when its send is posted. For `latency` seconds it uses no bandwidth; then its bytes and the control bytes flow at a
 * max-min fair share of all they cross: the sender's way out, the receiver's way in, the NICs of two nodes, the memory
 * of a socket. Shares are computed anew whenever a flow starts or ends.
 *
 * On a uniform machine (machine_ideal_simgrid) fluid gives what SimGrid's SMPI gives on a platform of p hosts, each
 * with a link up and a link down of bandwidth 1/beta, to 1e-12 s, with these settings:
 *   network/model:CM02  network/crosstraffic:0  network/weight-S:0  network/TCP-gamma:0
 *   network/latency-factor:1  network/bandwidth-factor:1  smpi/lat-factor:1  smpi/bw-factor:1
 *   smpi/send-is-detached-thresh:0  smpi/async-small-thresh:0  smpi/os:0  smpi/or:0  smpi/ois:0  smpi/wtime:0
 *   surf/precision:1e-12  network/optim:Full
 * The last two matter. With the default precision of 1e-9 s events are merged and times are off by some nanoseconds
 * (4.1 calls it precision/timing). SimGrid's default, network/optim:Lazy, has a fault, in 3.32 as in 4.1: when two
 * flows of one sender begin at the same instant, what else the second one's receiver is receiving keeps its old share,
 * so a link carries more than it can (System::update_modified_cnst_set_from_variable looks at a flow's first link
 * only, and skips it when it is marked already).
 *
 * Nothing here knows MPI. Memory is kept in the result and reused from call to call.
 */
#ifndef COLLSCOPE_MODEL_TIMING_H
#define COLLSCOPE_MODEL_TIMING_H

#include "core/schedule/record.h"

#include <stddef.h>

/* ---- the machine ------------------------------------------------------------------------------------ */

typedef enum { MACHINE_ONE_PORT, MACHINE_FLUID } machine_ports;
typedef enum { MACHINE_CACHE, MACHINE_SOCKET, MACHINE_NODE, MACHINE_NETWORK, MACHINE_CLASSES } machine_class;

/* From `from` bytes up (until the next piece): a message takes latency_s, then bytes · s_per_byte when it is alone.
 * traffic: bytes that links move for each byte of the message; only where the machine names its links, see
 * core_bytes_per_s. */
typedef struct { size_t from; double latency_s, s_per_byte, traffic; } machine_piece;
typedef struct { machine_piece *piece; int pieces; } machine_curve;

typedef struct machine {
  machine_ports ports;
  double control_bytes;                    /* added to what every message makes flow */
  double gamma_s_per_byte, copy_s_per_byte;
  long long eager_bytes;                   /* largest message whose send does not wait for its receive; -1: none */
  double overhead_s;                       /* processor time of posting an eager send or an isend, and of taking in an
                                              eager message */
  machine_curve curve[MACHINE_CLASSES];    /* by the closest level that two ranks share */
  double nic_bytes_per_s, memory_bytes_per_s;   /* 0: not modelled */
  /* fluid. 0: a port that a class has for itself moves 1 / s_per_byte. Else the machine is as the platforms' plug-in
   * makes it: a message crosses the sender's port of this bandwidth, the NICs and the switch or the interconnect of
   * two sockets, the memory of the receiver's socket, and the receiver's port. It keeps them busy for its traffic;
   * what is left of its time alone it waits first. */
  double core_bytes_per_s, interconnect_bytes_per_s, switch_bytes_per_s;
  int places;                              /* 0: every rank has a node of its own */
  coll_place *place;
  double bound_alpha_s, bound_beta_s_per_byte, bound_gamma_s_per_byte;  /* for coll_bound() and cost() */
} machine;

/* Reads a machine file (docs/metrics.md has its lines); "-" is standard input. Returns false, with "FILE:LINE: what is
 * wrong" in error[size], when it cannot. Free with machine_free in either case. */
bool machine_read(machine *, const char *path, char *error, size_t size);
void machine_free(machine *);

/* Uniform machines. The second has SimGrid's 16 control bytes, and every send waits for its receive. Copies are free;
 * set copy_s_per_byte to change that. */
machine machine_one_port(double alpha_s, double beta_s_per_byte, double gamma_s_per_byte);
machine machine_ideal_simgrid(double alpha_s, double beta_s_per_byte, double gamma_s_per_byte);

/* ---- timing ----------------------------------------------------------------------------------------- */

typedef struct {
  int src, dst;                 /* ranks of the outermost group */
  unsigned label;
  size_t send, recv;            /* indices into the two ranks' lists of operations */
  size_t bytes;
  double posted_s;              /* the later of the two postings (eager: the sender's) */
  double start_s, end_s;        /* on the wire: latency included */
} timing_message;

/* Work of a rank's own: operands combined, or bytes copied. */
typedef struct { int rank; bool combines; double start_s, end_s; } timing_span;

typedef struct {
  double makespan_s;            /* when the last rank is done */
  double *rank_end_s;           /* [ranks] */
  int ranks;
  size_t messages;
  timing_message *message;      /* [messages], by sender and the order of posting; NULL unless want_messages was set */
  timing_message *transfer;     /* [transfers], likewise: bytes that cross a shared segment; send and recv are one */
  timing_span *span;            /* [spans], likewise: what takes time without a message */
  size_t transfers, spans, span_cap;
  size_t critical_messages;     /* messages on one path that decides the makespan; at beta = gamma = 0: rounds */
  char error[256];              /* why there is no time: a deadlock, a receive without its send, … */
  bool want_messages;           /* set by the caller */
  void *work;                   /* memory kept between calls */
} timing_result;

/* Times a record; zero-initialise the result before the first call. Returns 0, or -1 with result->error set. */
int timing_run(const record *, const machine *, timing_result *);
void timing_free(timing_result *);

/* `collscope-prove --model MACHINE [--trace] --plan FILE`: argv[0] is the program's name. Returns the exit status: 0, 1 failure,
 * 2 usage. */
int model_main(int argc, char **argv);

#endif
