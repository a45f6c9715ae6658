/* What one rank does in a call, as a graph without buffers: its operations, and which of them must be over before which begin. Made once,
 * played as often as one likes (core/nonblocking/play.h), several times at once, too. (core/plan is another thing: points, as text.)
 *
 * One operation waits for another where they touch the same bytes and one of them writes, and for nothing else: not for what merely stands
 * before it in the algorithm's text, nor for a wait. Two exceptions:
 *   empty messages   carry order alone: they, and what stands between them, keep the order of the text
 *   one channel      messages to one peer with one label are posted in the order of the text, as MPI matches them so
 * Whatever waits here waits in the blocking text, too; so a plan cannot deadlock where that does not. */
#ifndef COLLSCOPE_CORE_NONBLOCKING_PLAN_H
#define COLLSCOPE_CORE_NONBLOCKING_PLAN_H

#include "collscope.h"

typedef struct coll_plan coll_plan;

/* The call at this rank; of args, in and out are not looked at, the others as collscope.h says (place may be NULL: one cache). Local:
 * nothing is sent, and any thread may do it. NULL: why it cannot be played, in reason[size]: the algorithm uses shared segments, receives
 * from any source, or does what an algorithm must not. The plan keeps nothing of args. */
coll_plan *coll_plan_make(const coll_alg *, const coll_args *, int rank, char *reason, size_t size);
/* No call that plays it may be left. */
void coll_plan_free(coll_plan *);

/* What it takes in memory, and how many operations it is for: messages, copies and combinings. */
size_t coll_plan_bytes(const coll_plan *);
size_t coll_plan_operations(const coll_plan *);

#endif
