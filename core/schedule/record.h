/* Recording: the back-end in which nothing is sent. Every rank's operations are written down, one rank after the other, in
 * one process without MPI.
 *
 * Buffers are addresses that cannot be touched (1 TiB each, reserved, no access), so an algorithm that looks at data
 * faults at once, and an address tells its buffer and offset.
 */
#ifndef COLLSCOPE_CORE_SCHEDULE_RECORD_H
#define COLLSCOPE_CORE_SCHEDULE_RECORD_H

#include "core/schedule/schedule.h"

/* Records one call (calls = 1) or several in a row of alg->run on args (in and out are ignored). seed chooses the
 * order in which COLL_ANY_SOURCE algorithms see messages arrive. Returns a record whose error is set when the
 * algorithm misbehaved; never NULL (out of memory aborts with a message). A `record` may be handed in again to reuse
 * its memory (NULL: a new one). args->place may be NULL: then all ranks share one cache. One recording at a time in a
 * process. */
record *record_make(record *reuse, const coll_alg *alg, const coll_args *args, int calls, unsigned seed);
void record_free(record *);

/* coll_unsupported, and whether the call's vector fits into the addresses that stand for a buffer: NULL, or why not. */
const char *record_unsupported(const coll_alg *, const coll_args *, char *reason, size_t size);

/* An algorithm that computes for so many seconds of processor time without an operation loops for ever: the record says
 * so. 30 by default. */
void record_patience(int seconds);

#endif
