/* Timing a recorded schedule on a model of a machine: when every rank is done, and when each message is under way.
 *
 * Two rules of what a message does to the ports of its ranks stand side by side.
 *
 * one_port, where cost() lives: a rank sends one message and receives one message at a time. A message of n bytes takes
 * alpha + n beta, all of which occupies both ports; it starts when both sides have posted it and both ports are free.
 * Among messages that could start, the one that could start first does; then the sender's program order decides.
 *
 * fluid, as SimGrid does it: a message starts when both sides have posted it (rendezvous) or, up to the eager limit,
 * when its send is posted. For `latency` seconds it uses no bandwidth; then its bytes and the control bytes flow at a
 * max-min fair share of all they cross: the sender's port out, the receiver's port in, the NICs of two nodes, the memory
 * of a socket. Shares are computed again whenever a flow starts or ends.
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

#include "core/schedule/schedule.h"
#include "model/machine.h"

/* ---- timing ----------------------------------------------------------------------------------------- */

typedef struct {
  int src, dst; /* ranks of the outermost group */
  unsigned label;
  size_t send, recv; /* indices into the two ranks' lists of operations */
  size_t bytes;
  double posted_s;       /* the later of the two postings (eager: the sender's) */
  double start_s, end_s; /* on the wire: latency included */
} timing_message;

/* Work of a rank's own: operands combined, bytes copied, or something that only takes time. */
typedef struct {
  int rank;
  rec_kind kind; /* REC_REDUCE, REC_COPY or REC_CALC */
  double start_s, end_s;
} timing_span;

typedef struct {
  bool fresh; /* the caller's: `out` is newly mapped in each call, but for what of it is input; see coll_renew */
  /* The caller's: times above stop_s are of no interest; 0: all are. Such a call ends as soon as that is known, while it is recorded
   * (timing_viewer) or played. Nor are schedules of more than max_operations timed, where ranks are taken in so; 0: all are. */
  double stop_s;
  size_t max_operations;
  double max_steps;     /* the caller's: where the run needs more, it ends without a result; 0: it goes on */
  bool is_unfinished;   /* it has */
  bool is_slower;       /* for one of these reasons there is no other result than … */
  double slower_than_s; /* … that it takes longer than this */
  double makespan_s;    /* when the last rank is done; the first one enters at 0 */
  double *rank_end_s;   /* [ranks] */
  double *marked_s;     /* [ranks] between marks, all together */
  int ranks;
  size_t messages;
  double steps;             /* of work: as many tell about how long the run took, on any machine the same */
  timing_message *message;  /* [messages], by sender and the order of posting; NULL unless want_messages was set */
  timing_message *transfer; /* [transfers], likewise: bytes that cross a shared segment; send and recv are one */
  timing_span *span;        /* [spans], likewise: what takes time without a message */
  size_t transfers, spans, span_cap;
  /* [ranks][operations]: when each was called, and the one before it was over; NULL unless want_messages was set. Of consecutive waits only
   * the first is called. */
  double **begin_s;
  size_t critical_messages; /* messages on one path that decides the makespan; at beta = gamma = 0: rounds */
  char error[512];          /* why there is no time: a deadlock, a receive without its send, … */
  int last_rank;            /* the one that decides the makespan */
  bool want_messages;       /* set by the caller */
  const double *late_s;     /* [ranks] set by the caller: when each enters; NULL: all at 0 */
  /* Set by the caller: which draw of the machine's noise, from 1; 0: every message takes its curve's time. */
  uint64_t draw;
  /* Set by the caller: flows go into bundles once so many shares have been found; 0: where traffic is dense. See dense.h. */
  size_t bundle_after;
  /* Set by tests: where the fluid rule begins to count what it solves, up to MAX_STAMP of flows.h. */
  uint32_t first_stamp;
  uint32_t first_event; /* and its events, up to MAX_EVENTS */
  struct causes *why;   /* set by explain.h; NULL: not wanted */
  void *work;           /* memory kept between calls */
} timing_result;

/* Takes in the ranks of a record_view: timing_run on its record then needs none of their operations, on this machine or on one without
 * newly mapped scratch. Where they show that the call is of no interest, the record is cut short, and is_slower says so. */
record_viewer timing_viewer(timing_result *, const machine *);
/* Messages of the ranks taken in so; of another record 0. */
size_t timing_messages(const timing_result *, const record *);
/* Times a record; zero-initialise the result before the first call. Returns 0, or -1 with result->error set; where is_slower is set there is
 * no time. */
int timing_run(const record *, const machine *, timing_result *);
/* The messages of the record that was timed last. */
const struct wiring *timing_wiring(const timing_result *);
void timing_free(timing_result *);

#endif
