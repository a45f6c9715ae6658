/* A network whose links and routes are given one by one, as SimGrid has them of a platform file.
 *
 * A message waits its class's latency times its route's, then moves its traffic over the links of the route, and a part of it over those
 * of the route back (acknowledgements). A fatpipe gives each message its whole bandwidth; a window of w bytes lets w / (2 · latency)
 * per second through. Messages share a link in inverse proportion to their weights, latency + sum of weight_bytes / bandwidth over the
 * links of the route, as those of TCP do to their round trips; a route without latency weighs 1. */
#ifndef COLLSCOPE_MODEL_GIVEN_H
#define COLLSCOPE_MODEL_GIVEN_H

#include "model/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GIVEN_MAX_LINKS = 1 << 20, GIVEN_MAX_LINE = 256 }; /* links in all; of a route */

typedef struct {
  double bytes_per_s;
  bool fatpipe;
} given_link;

typedef struct {
  int from, to; /* nodes */
  double latency_s;
  size_t first; /* of `crossed` */
  int links;
} given_route;

typedef struct {
  given_link *link;
  given_route *route; /* ascending by from, then to */
  int32_t *crossed;
  size_t links, routes, crossings, link_cap, route_cap, crossed_cap;
  int longest;         /* links of the longest route */
  double back_part;    /* of a message's traffic, over the links of the route back; 0: none */
  double window_bytes; /* 0: no limit */
  double weight_bytes;
} given_network;

/* The route from one node to another, or from a node to itself; NULL: none is given. */
const given_route *given_find(const given_network *, int from, int to);

/* Lines of a machine file; false with what is wrong. */
bool given_link_line(given_network *, const reader *);
bool given_route_line(given_network *, const reader *);
void given_free(given_network *);

#endif
