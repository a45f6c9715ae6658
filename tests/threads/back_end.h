/* The back-end over threads: each rank is a thread of one process, so that ThreadSanitizer sees what it cannot see between
 * processes. Segments are those of real runs (core/runtime/shared.h). Messages order the threads as MPI promises and no further: the
 * locks below are hidden from the sanitizer, and a message tells it who waits for whom. */
#ifndef COLLSCOPE_TESTS_THREADS_BACK_END_H
#define COLLSCOPE_TESTS_THREADS_BACK_END_H

#include "collscope.h"
#include "core/runtime/shared.h"
#include "core/plan/plan.h"

typedef struct threads_world threads_world;
typedef struct threads_call threads_call;

struct coll_seg_state {
  shared_memory memory;
};

extern const coll_operations threads_operations;

/* eager: a message of up to so many bytes does not wait for its receive. seed: of delays and of the choice among sources. stuck: called by
 * a rank when all wait for each other. */
threads_world *threads_world_make(int ranks, size_t eager, unsigned seed, void (*stuck)(void));
void threads_world_free(threads_world *);
void threads_meet(threads_world *);              /* a barrier of all ranks that is none of ours */
unsigned long threads_segments(threads_world *); /* that were opened so far */

/* One call, planned, as coll_open makes it; by each rank's own thread, all ranks together. */
threads_call *threads_open(threads_world *, int rank, const coll_operations *, const coll_alg *, const coll_args *,
                           plan_type, plan_op);
void threads_run(threads_call *);
void threads_close(threads_call *);

#endif
