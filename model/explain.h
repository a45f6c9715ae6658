/* Why a schedule takes as long as it does on a machine: its critical path, cut into parts that add up to the makespan; how much each link
 * has to carry; and how busy one link is over time.
 *
 * The path is walked back from the rank that is done last: to the message that it waited for, to what this message waited for (its sender,
 * its receiver where the send waits for that, in the one-port model also the message that had the port), and so on to the beginning. Of a
 * message that shares links (fluid), `bandwidth` is what its bytes take at the rate that it has when it is alone, and `wait` is what it takes
 * longer, counted for the link that set its rate, over its whole life; in the picture of a message the waits stand behind its bandwidth.
 *
 * Printed as members of an object:
 *   path_messages  messages on the path
 *   parts          {part: seconds} of all parts; they add up to the makespan
 *   rendezvous_s   how much of the path lies where the sender of a message on it was ready and its receiver was not: a send that need
 *                  not wait would have started it then. No part: the same time is in the parts, as what the receiver did meanwhile
 *   path           [[part, rank, other rank, bytes, begin_s, end_s, link], …] in time; other rank and bytes are of a message (-1, 0: there
 *                  is no message), whose sender is `rank`; link is an index into links (-1: no link): of bandwidth the narrowest, of wait the shared one
 *   links          [[kind, name, busy_s, wait_s], …]: busy_s is the time that all its messages would take up the whole link; wait_s is that
 *                  of the path. The first is the one that keeps the path waiting most, or that has most to carry; then those that the
 *                  path names
 *   load           [[time_s, share in use from then on], …] of the first link
 */
#ifndef COLLSCOPE_MODEL_EXPLAIN_H
#define COLLSCOPE_MODEL_EXPLAIN_H

#include "core/catalogue/json.h"
#include "model/causes.h"
#include "model/timing.h"

typedef struct {
  part_kind part;
  int32_t rank, other, link;
  uint64_t bytes;
  double begin, end;
} path_part;

typedef struct {
  double seconds[PARTS], rendezvous_s;
  size_t messages; /* on the path */
  path_part *path; /* last one first */
  size_t parts, part_cap;
  double *busy_s, *wait_s; /* [links] */
  size_t links, busy_cap, wait_cap;
  int32_t watched; /* link; NONE: no link */
  double end;      /* of what is walked back from here on */
  causes causes;
  bool one_port;
} explanation;

/* Times a record, as timing_run does, and explains the time. Zero-initialise the explanation before the first call. */
int explain_run(const record *, const machine *, timing_result *, explanation *);
void explain_print(json *, const machine *, int ranks, const explanation *);
void explain_free(explanation *);

#endif
