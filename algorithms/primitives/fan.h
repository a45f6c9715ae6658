/* What hierarchical algorithms are made of, for one group of ranks: signals up a tree (fan-in), down a tree (fan-out) and
 * among all (recursive k-ing). They go over the group's path: empty messages, or flags in a segment that all members share.
 * Member 0 leads. Any size, any k >= 2; k = 2 is the binomial tree and recursive doubling. */
#ifndef COLLSCOPE_PRIMITIVES_FAN_H
#define COLLSCOPE_PRIMITIVES_FAN_H

#include "collscope.h"

typedef struct {
  coll_ctx ctx;
  coll_seg seg;  /* NULL: messages */
  uint64_t call; /* flags hold the number of the call that set them last */
} coll_group;

/* In prepare(): makes shared memory the path, where all members sit on one node; else nothing happens. Room for the
 * signals below with this k. */
void coll_group_share(coll_group *, int k);

/* Before the first signal of a call. */
static inline void coll_group_enter(coll_group *g) { g->call++; }

/* Each at most once a call. Fan-in: the leader goes on when all are there. Fan-out: the others go on when the leader is
 * there. Recursive k-ing: all go on when all are there. */
void coll_fan_in(coll_group *, int k);
void coll_fan_out(coll_group *, int k);
void coll_recursive_king(coll_group *, int k);

#endif
