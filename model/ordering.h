/* fluid: flows that wait for others before they use any bandwidth. Where messages of a pair stay in order, the next one of the same
 * source and destination waits until the one before it is over; where a NIC takes its time for each message, those that leave its node
 * begin one after the other. The platforms' plug-in has the same rules (flows.cpp). */
#ifndef COLLSCOPE_MODEL_ORDERING_H
#define COLLSCOPE_MODEL_ORDERING_H

#include "model/engine.h"

typedef struct {
  int32_t message, next; /* next: of its stream; NONE */
  uint64_t turn;         /* by sender, and of one by the order of posting */
  double start, ready;   /* when its message started; when its latency is over */
  bool queued, behind;   /* its NIC has yet to begin it; it is ready, but not the first of its stream */
} held;

typedef struct {
  bool any, in_order;
  double nic_gap_s;
  held *flow; /* by the flow's number */
  size_t flow_cap;
  channels streams; /* first and last: the first and the last flow of the pair */
  int32_t *starting;
  size_t starting_n, starting_cap; /* flows that start at one instant, by a NIC */
  double serve_at;                 /* when no more can */
  double *nic_free;
  size_t nic_cap; /* when each NIC can begin its next message */
} ordering;

void ordering_clear(ordering *, const engine *, int nodes);
void ordering_free(ordering *);

/* The message's flow, which is ready so long after its start. Returns when something happens to it: see holds_pass. */
double ordering_launch(ordering *, const engine *, int32_t flow, int32_t message, double latency_s);
/* It has happened: true, the flow begins; false, it will be let go. */
bool ordering_pass(ordering *, const engine *, int32_t flow);
/* The flow is over. Returns the one that begins now; NONE. */
int32_t ordering_leave(ordering *, const engine *, int32_t flow);

/* All that starts at one instant has started: each of starting[0] … [n-1] is to happen when it is ready. Returns n. */
size_t ordering_serve(ordering *, const engine *);

#endif
