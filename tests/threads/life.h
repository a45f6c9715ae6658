/* The algorithms' life over threads: each rank is a thread of one process, so that ThreadSanitizer sees what it cannot see between
 * processes. Segments are those of real runs (operations/shared.h). Messages order the threads as MPI promises and no further: the
 * locks below are hidden from the sanitizer, and a message tells it who waits for whom. */
#ifndef COLLSCOPE_TESTS_THREADS_LIFE_H
#define COLLSCOPE_TESTS_THREADS_LIFE_H

#include "collscope.h"
#include "core/runtime/shared.h"
#include "core/plan/plan.h"

typedef struct life_world life_world;
typedef struct life_call life_call;

struct coll_seg_state { shared_memory memory; };

extern const coll_operations life_operations;

/* eager: a message of up to so many bytes does not wait for its receive. seed: of delays and of the choice among sources. */
life_world *life_world_make(int ranks, size_t eager, unsigned seed);
void life_world_free(life_world *);
void life_meet(life_world *);     /* a barrier of all ranks that is none of ours */
unsigned long life_segments(life_world *);  /* that were opened so far */

/* One call, planned, as coll_open makes it; by each rank's own thread, all ranks together. */
life_call *life_open(life_world *, int rank, const coll_operations *, const coll_alg *, const coll_args *, plan_type, plan_op);
void life_run(life_call *);
void life_close(life_call *);

#endif
