/* Routes between nodes: where nodes sit in a network of links, and which links lie between two of them. Positions are numbered from
 * 0; python/collscope/machines/routes.py has the same routes for SimGrid.
 *
 *   torus      shape: positions of each dimension, the last one fastest. Dimension after dimension, each the shorter direction
 *              round; of two that are as long, upwards.
 *   fat_tree   shape: leaf switches, nodes of a leaf, uplinks of a leaf. Core switch c is at the end of every leaf's uplink
 *              c; a message takes the one of its destination's position modulo uplinks.
 *   dragonfly  shape: groups, routers of a group, nodes of a router. Routers of a group are linked each to each. From group
 *              a to group b there is one link, at router (b - a - 1 mod groups) mod routers of a, and router
 *              (a - b - 1 mod groups) mod routers of b. Routes are minimal: over that link.
 */
#ifndef COLLSCOPE_MODEL_ROUTES_H
#define COLLSCOPE_MODEL_ROUTES_H

#include "model/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { TOPOLOGY_SWITCH, TOPOLOGY_TORUS, TOPOLOGY_FAT_TREE, TOPOLOGY_DRAGONFLY, TOPOLOGY_KINDS } topology_kind;
enum { TOPOLOGY_DIMS = 6, TOPOLOGY_MAX_NODES = 1 << 22, TOPOLOGY_MAX_LINKS = 1 << 24, TOPOLOGY_MAX_LINE = 256 };

typedef struct {
  topology_kind kind;
  int shape[TOPOLOGY_DIMS], dims;
  double hop_latency_s;      /* of each link beyond those that the curve of the network has in it: a torus's first */
  double link_bytes_per_s;   /* each way */
  double global_bytes_per_s; /* dragonfly: of a link between groups */
  int32_t *position;         /* of each node; NULL: its number */
  int positions;
  size_t position_cap;
} topology;

extern const char *const topology_names[TOPOLOGY_KINDS];

int64_t topology_positions(const topology *); /* how many there are */
int64_t topology_links(const topology *);     /* likewise, each way by itself */
int topology_longest(const topology *);       /* links of the longest route */
/* The links from one position to another, in order, into link[longest]; returns how many. */
int topology_route(const topology *, int from, int to, int32_t *link);
/* Whether links lie between any two of the positions that so many nodes sit at: nodes of one switch have none. */
bool topology_links_nodes(const topology *, int nodes);
double topology_rate(const topology *, int32_t link); /* bytes per second */
/* Links that a message crosses to leave its part of the network, once each: from group to group of a dragonfly, up from a leaf of a fat tree. */
bool topology_is_global(const topology *, int32_t link);
bool topology_has_global(const topology *);
/* What the links of a route add to the time of the network's curve. */
double topology_latency_s(const topology *, int links);
/* Lines of a machine file; false with what is wrong. */
bool topology_line(topology *, const reader *);
bool topology_positions_line(topology *, const reader *);
void topology_free(topology *);

#endif
