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
  int32_t peer;
  uint64_t off;
  union {
    uint64_t off2; /* REDUCE, COPY */
    /* Messages: the blocking text posts no node from here on before this message is through. */
    uint64_t until;
  };
  uint64_t bytes;
} plan_node;

#define NODE_NOBODY UINT32_MAX
/* Of an edge: its end may begin when the other end has been posted, and need not be through. */
#define EDGE_POSTED ((uint32_t)1 << 31)

/* Where one of the call's two buffers lies: in one of REC_IN and REC_OUT, in place both in the same. */
typedef struct {
  uint64_t off : 56; /* one word: the smallest plans are hardly more than their heads */
  uint64_t buf : 7;
  uint64_t given : 1; /* else it is NULL at this rank */
} plan_buffer;

struct coll_plan {
  plan_buffer in, out;
  size_t elem, scratch;
  uint32_t nodes, messages, joins; /* both are among the nodes */
  const uint32_t *first;           /* [nodes+1] node i's edges are edge[first[i]] … edge[first[i+1]-1] */
  const uint32_t *edge;            /* who waits for it: a node, with EDGE_POSTED or without */
  plan_node node[];
};

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
