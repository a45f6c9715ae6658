/* Timing a call that is started, and waited for or polled while its ranks compute: when every rank is through, and how much it has
 * computed by then. Ranks work through their plans (core/nonblocking/plan.h) as the player does (core/nonblocking/play.h): what does not
 * depend on each other runs at once. What a message does to ports and links is the machine's rule, as in timing.h.
 *
 * Who may advance a rank's plan when:
 *   the host   only inside a call. When it starts, it begins what may begin: messages, then copies and combinings, each in the order of
 *              the text; a send costs it its overhead or gap. A poll looks once at all that is outstanding, takes in what has arrived (an
 *              eager message costs it overhead and receive gap), and begins what may begin by that. A wait does so again and again.
 *   the NIC    with `offload`, at any time, messages with other nodes: one goes as soon as what it depends on is over, and costs the host
 *              nothing. What a NIC cannot do stays with the host: copies, combinings, messages within a node. That the NIC is through
 *              with something the host sees in its next call.
 * A message whose two sides are posted needs nobody: in the machine, as in SimGrid, the network moves it by itself. */
#ifndef COLLSCOPE_MODEL_NONBLOCKING_H
#define COLLSCOPE_MODEL_NONBLOCKING_H

#include "core/nonblocking/graph.h"
#include "core/schedule/byte_set.h"
#include "model/engine.h"
#include "model/event_queue.h"

/* Where all three are nothing, a call is waited for at once. */
typedef struct {
  bool offload;
  double work_s; /* computed between start and wait */
  double poll_s; /* above 0: computes so long and asks, until the call is through */
} nonblocking_use;

/* A heap: the first in the text on top. */
typedef struct {
  uint32_t *node;
  size_t n, cap;
} ready_nodes;

typedef struct {
  uint32_t place, node;
} found_node;

typedef struct {
  const coll_plan *plan;
  size_t base;      /* its first node among all ranks' */
  uint32_t through; /* nodes that its host knows to be over */
  uint32_t first;   /* the first of the others */
  double work_s;    /* computed so far */
  uint8_t phase;    /* of those in nonblocking.c */
  bool blocked;     /* waits for a message to arrive */
  ready_nodes messages, work;
  uint32_t *posted; /* its host's messages that are under way, as the player's array has them */
  size_t posteds, posted_cap;
  size_t looked_at;  /* of them, in the look that goes on */
  found_node *found; /* those of them that this look has found to be over */
  size_t founds, found_cap;
  uint32_t *news; /* the NIC is through with them, which the host does not know yet */
  size_t newses, news_cap;
  byte_set untouched; /* of its scratch, by offset */
} nonblocking_rank;

typedef struct {
  double makespan_s;
  double *end_s,
      *work_s; /* [ranks]: when it is through with call and work, from all ranks' start; what it has computed until then */
  int ranks, last_rank; /* last_rank: which decides the makespan */
  char error[512];
  size_t bundle_after; /* set by the caller, as in timing.h */
  /* Kept between runs. */
  engine engine;
  const port_rule *rule;
  void *state[MACHINE_RULES];
  nonblocking_use use;
  nonblocking_rank *rank;
  size_t rank_cap, plan_cap, end_cap, work_cap, node_cap, left_cap, from_cap, over_cap, send_cap, recv_cap, turn_cap;
  bool shares_segments;            /* a rank does: there are no plans */
  coll_plan **plan;                /* [ranks] */
  size_t plans, nodes;             /* of all ranks */
  int32_t *message;                /* [nodes] NONE */
  uint32_t *left;                  /* [nodes] how many it still waits for */
  double *from;                    /* [nodes] those of the NIC: not before */
  bool *over;                      /* [nodes] */
  uint32_t *turn, turns;           /* [messages] when its sender has posted it */
  uint32_t *send_node, *recv_node; /* [messages] of its sender's and its receiver's plan */
  int32_t *done;                   /* messages that have arrived at this instant */
  size_t dones, done_cap;
  uint32_t *first; /* of one rank: the nodes that wait for nothing */
  size_t firsts, first_cap;
  event_queue alarms; /* when ranks are to go on whose clocks are ahead of the time */
} nonblocking;

/* Takes in the ranks of a record_view. */
record_viewer nonblocking_viewer(nonblocking *, const machine *);
/* Times what has been taken in, where no rank shares segments. Zero-initialise the result before the first call. Returns 0, or -1 with result->error set. */
int nonblocking_run(nonblocking *, const record *, const machine *, nonblocking_use);
void nonblocking_free(nonblocking *);

/* ---- nonblocking_setup.c ---- */

bool nonblocking_lay_out(nonblocking *, const record *, const machine *); /* false: error says why it cannot be timed */
const char *nonblocking_rewind(nonblocking *); /* all is as before the first call; NULL, or why not */

#endif
