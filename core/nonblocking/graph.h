/* A plan from inside: for who makes it and who plays it. */
#ifndef COLLSCOPE_CORE_NONBLOCKING_GRAPH_H
#define COLLSCOPE_CORE_NONBLOCKING_GRAPH_H

#include "core/nonblocking/plan.h"
#include "core/schedule/schedule.h"

typedef enum { NODE_SEND, NODE_RECV, NODE_REDUCE, NODE_COPY, NODE_JOIN } node_kind;

/* Nodes stand in the order of the algorithm's text. */
typedef struct {
  uint8_t kind; /* node_kind; JOIN: no work, over when all it waits for are: fewer edges where many wait for many */
  uint8_t buf;  /* REC_IN, REC_OUT, REC_SCRATCH: of a message; REDUCE: left; COPY: source */
  uint8_t buf2; /* REDUCE: right; COPY: destination */
  uint8_t label;
  uint32_t edges; /* where its edges end among the plan's: they begin where those of the node before it end */
  uint64_t off;
  union {
    uint64_t off2; /* REDUCE, COPY */
    struct {       /* messages */
      int32_t peer;
      uint32_t until; /* the blocking text posts no node from here on before this message is through */
    };
  };
  uint64_t bytes;
} plan_node;

#define NODE_NOBODY UINT32_MAX
/* Of an edge: its end may begin when the other end has been posted, and need not be through. */
#define EDGE_POSTED ((uint32_t)1 << 31)

/* In one piece of memory, with the edges behind the nodes. In place, all that nodes name lies in one of the call's two buffers, the whole
 * one: the other is not named. */
struct coll_plan {
  size_t elem, scratch;
  uint32_t nodes, messages; /* which are among the nodes */
  plan_node node[];
};

/* Who waits for a node: nodes, with EDGE_POSTED or without. */
typedef struct {
  const uint32_t *at, *end;
} plan_edges;

static inline plan_edges plan_all_edges(const coll_plan *p) {
  const uint32_t *edge = (const uint32_t *)(p->node + p->nodes);
  return (plan_edges){ edge, edge + (p->nodes ? p->node[p->nodes - 1].edges : 0) };
}
static inline plan_edges plan_edges_of(const coll_plan *p, uint32_t node) {
  const uint32_t *edge = (const uint32_t *)(p->node + p->nodes);
  return (plan_edges){ edge + (node ? p->node[node - 1].edges : 0), edge + p->node[node].edges };
}

static inline bool node_is_message(const plan_node *n) { return n->kind <= NODE_RECV; }

/* A long pipeline's messages would all be under way at once. What the blocking text has outstanding must be, or a rank could wait for
 * another's message behind this bound: all before the node where it would go on after `first`, the first that is not through. */
static inline bool plan_may_post(const coll_plan *p, uint32_t node, uint32_t first, size_t outstanding) {
  enum { OUTSTANDING_MAX = 64 };
  if (outstanding < OUTSTANDING_MAX) return true;
  const plan_node *n = &p->node[first];
  return node < (node_is_message(n) ? n->until : first);
}

/* The plan of a rank whose operations have been recorded or read: without segments, and without receives from any source. */
coll_plan *coll_plan_of(const record *, int rank);

#endif
