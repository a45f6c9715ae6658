/* Lanes: the ranks with the same index on their nodes, which work at the same time on parts of the data. Any nodes: there are at most as
 * many lanes as the smallest has ranks; ranks with a higher index take part within their node alone. */
#ifndef COLLSCOPE_PRIMITIVES_LANES_H
#define COLLSCOPE_PRIMITIVES_LANES_H

#include "patterns/block.h"
#include "primitives/ring.h"

typedef struct {
  const coll_grouping *nodes;
  int node, lanes;
  coll_ctx within; /* the ranks of this node; this rank's index is its rank here */
  coll_ctx across; /* its lane, in the order of nodes; not where it has none */
  bool has_lane;
} coll_lanes;

#define COLL_LANES_PARAM \
  { .name = "lanes", .max = 64, .help = "ranks of a node that work at the same time; 0: as many as the smallest has" }

/* The ranks of the smallest node. */
int coll_smallest_node(const coll_grouping *nodes);

/* NULL, or why there cannot be so many lanes. */
const char *coll_lanes_supports(const coll_args *, long lanes);

/* In prepare(). lanes 0: as many as there can be. */
coll_lanes *coll_lanes_make(coll_ctx *, long lanes);

/* This node's ranks add up data[n]: lane i gets block i of as many as there are lanes, at its place; other parts hold partial sums
 * where a rank has a lane. The operator must commute. */
void coll_lanes_reduce(coll_lanes *, void *data, size_t n);

/* Rank i of a node has block i of the cut (maybe an empty one); afterwards all have all of them, `except` one that needs none (-1: all do). */
void coll_lanes_spread(coll_ctx *within, void *data, coll_cut cut, int except);

/* n elements in as many even blocks as there are lanes; memory of the caller, which must stay. */
typedef struct {
  size_t n;
  int lanes;
} coll_lane_cut;
coll_cut coll_lanes_even(const coll_lane_cut *);

#endif
