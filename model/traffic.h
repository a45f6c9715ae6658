/* How many bytes a schedule moves, and over which links between nodes: a count that follows from its messages, the ranks' places and the
 * routes alone, whatever they take.
 *
 * Printed as a member "traffic" of an object:
 *   network_bytes  of messages between nodes
 *   link_bytes     over links between nodes, once for each link that a message crosses
 *   global_bytes   over links between groups of a dragonfly, over uplinks of a fat tree's leaves: each message once. Null where the network
 *                  has no such links
 *   busiest_bytes  over the one link that most are moved over
 */
#ifndef COLLSCOPE_MODEL_TRAFFIC_H
#define COLLSCOPE_MODEL_TRAFFIC_H

#include "core/catalogue/json.h"
#include "model/machine.h"
#include "model/match.h"

typedef struct {
  uint64_t network_bytes, link_bytes, global_bytes, busiest_bytes;
  uint64_t *of_link; /* [links]: memory kept between calls */
  size_t links, link_cap;
} traffic;

/* Counts the messages of all ranks. Zero-initialise before the first call. */
void traffic_count(traffic *, const wiring *, const machine *);
void traffic_print(json *, const traffic *, const machine *);
void traffic_free(traffic *);

#endif
