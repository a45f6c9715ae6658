/* Calls that go on while their caller does something else: plans (core/nonblocking/plan.h), played on buffers by messages of MPI.
 *
 * Nothing goes on by itself. An engine holds the calls that are under way in a process; each look at its messages (coll_advance, coll_test,
 * coll_complete; from a thread of its own, if one likes) advances all of them, as far as they get without waiting: messages that are due are
 * posted, copies and combinings are done there and then. So it does not matter in which order calls are waited for, nor whether all ranks
 * do so in the same.
 *
 * What the blocking text would have outstanding is posted as soon as it may; beyond that a call has at most 64 messages under way. */
#ifndef COLLSCOPE_CORE_NONBLOCKING_PLAY_H
#define COLLSCOPE_CORE_NONBLOCKING_PLAY_H

#include <mpi.h>

#include "core/nonblocking/plan.h"

/* The calls under way of one process (in simulation: of one rank). */
typedef struct coll_engine coll_engine;
/* After MPI_Init. threads: several may use it at once, which needs MPI_THREAD_MULTIPLE; whoever waits then looks again and again. Else
 * coll_complete waits within MPI, and in simulation only then without taking time by itself. */
coll_engine *coll_engine_make(bool threads);
void coll_engine_free(coll_engine *); /* no call is left */
/* One look. Returns whether any call is still under way. */
bool coll_advance(coll_engine *);

typedef struct coll_playing coll_playing;

/* Starts a call; nobody is waited for. comm: private to collscope's messages, all its calls in one engine; its ranks are those of the plan's
 * args. The plan outlives the call. in, out: as collscope.h says of the plan's collective (in place: in lies in out's buffer, or out in
 * in's), not to be touched until the call is done. type: the contiguous type of args->elem bytes, op its operator (MPI_OP_NULL without
 * one), both there until it is done. sequence: counts the calls of this communicator, the same at all ranks: messages of calls that
 * overlap never mix (it is in the tag), nor with those of blocking calls (coll_run) on comm, but for algorithms that receive from any
 * source. */
coll_playing *coll_start(coll_engine *, MPI_Comm comm, const coll_plan *, const void *in, void *out, MPI_Datatype type,
                         MPI_Op op, uint64_t sequence);
bool coll_done(const coll_playing *); /* looks at nothing but the call; any thread may ask */
bool coll_test(coll_playing *);       /* advances all calls of its engine first */
void coll_complete(coll_playing *);   /* waits until it is done */
/* A call that is done, again: same plan, type and operator; memory is kept. */
void coll_restart(coll_playing *, const void *in, void *out, uint64_t sequence);
void coll_finish(coll_playing *); /* a call that is done: frees it */

#endif
