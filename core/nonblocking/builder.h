/* What the files that make a plan share: nodes so far, and who waits for whom. */
#ifndef COLLSCOPE_CORE_NONBLOCKING_BUILDER_H
#define COLLSCOPE_CORE_NONBLOCKING_BUILDER_H

#include "core/nonblocking/graph.h"

/* Nodes, some of them with EDGE_POSTED, some twice. */
typedef struct {
  uint32_t *node;
  size_t n, cap;
} needs;

/* The last node in whose list it stood, + 1: to be through, or to be posted. */
typedef struct {
  uint32_t through, posted;
} edge_mark;

typedef struct {
  plan_node *node;
  size_t nodes, node_cap;
  uint32_t *before; /* of each node one after the other: whom it waits for */
  size_t edges, before_cap;
  size_t *before_first; /* [nodes+1] */
  size_t before_first_cap;
  edge_mark *mark; /* [nodes] */
  size_t mark_cap;
} builder;

void needs_add(needs *, uint32_t node);
/* A node that waits for these, but for those that others of them wait for already. Empties the list. */
uint32_t builder_add(builder *, plan_node, needs *);
/* One node for these: itself where it is one, else a join. Empties the list. */
uint32_t builder_join(builder *, needs *);
bool builder_waits(const builder *, uint32_t node, uint32_t before); /* by an edge of its own, till it is through */
/* The plan of all nodes, in one piece of memory. */
coll_plan *builder_plan(const builder *);
void builder_free(builder *);

/* ---- ranges.c: who touched which bytes last ---- */

typedef struct {
  uint64_t begin, end;
  uint32_t writer;  /* the last; NODE_NOBODY: none */
  uint32_t readers; /* since then, the first of a list of cells; NODE_NOBODY: none */
} range_of_bytes;

typedef struct {
  uint32_t node, next;
} range_reader;

typedef struct {
  range_of_bytes *at; /* [n] ascending, none meets another */
  size_t n, cap;
  range_reader *cell;
  size_t cells, cell_cap;
} ranges;

/* A node is about to read or write these bytes: adds whom it waits for to the list. Then, when it is there: ranges_touched. */
void ranges_ask(ranges *, builder *, uint64_t begin, uint64_t bytes, bool writes, needs *);
void ranges_touched(ranges *, uint64_t begin, uint64_t bytes, bool writes, uint32_t node);
void ranges_free(ranges *);

#endif
