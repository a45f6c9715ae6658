/* Recording: the back-end in which nothing is sent. Every rank's operations are written down, one rank after the other, in
 * one process without MPI.
 *
 * Buffers are addresses that cannot be touched (1 TiB each, 4 GiB for a part of a segment, reserved, no access), so an algorithm that looks at data
 * faults at once, and an address tells its buffer and offset.
 */
#ifndef COLLSCOPE_CORE_SCHEDULE_RECORDER_RECORD_H
#define COLLSCOPE_CORE_SCHEDULE_RECORDER_RECORD_H

#include "core/schedule/recorder/rank.h"

/* Records one call (calls = 1) or several consecutive ones of alg->run on args (in and out are ignored). seed chooses the
 * order in which COLL_ANY_SOURCE algorithms see messages arrive. Returns a record whose error is set when the
 * algorithm misbehaved; never NULL (out of memory aborts with a message). A `record` may be handed in again to reuse
 * its memory (NULL: a new one). args->place may be NULL: then all ranks share one cache. One recording at a time in a
 * process. */
record *record_make(record *reuse, const coll_alg *alg, const coll_args *args, int calls, unsigned seed);
/* The same of one call, but nobody keeps the operations: each rank is shown when it is done, in ascending order, and its list then
 * serves the next one. What is returned has a serial, args and an error, but no operations; once the viewer has seen enough, nothing
 * more is recorded. */
record *record_view(record *reuse, const coll_alg *alg, const coll_args *args, unsigned seed, record_viewer);
/* While a rank is recorded: the time of all that it does from here on, to the mark that `ends` it, is added up by timing_run. */
void record_mark(coll_ctx *, bool ends);

/* coll_unsupported, and whether the call's vector fits into the addresses that stand for a buffer: NULL, or why not. */
const char *record_unsupported(const coll_alg *, const coll_args *, char *reason, size_t size);

/* Records the same once more, and this time keeps where each operation was called in the source: for a message about one that is
 * wrong. */
void record_sites(record *);

/* What is recorded at this moment, to tell somebody who waits: "rank 3 has recorded 17 operations, the last at FILE:LINE" into
 * text[size]; "" when nothing is. Safe in a signal handler. */
void record_now(char *text, size_t size);

/* What goes on for ever: an algorithm that computes for so many seconds of processor time without an operation, or that records
 * more operations at a rank. The record says so. */
enum { RECORD_SECONDS = 5 };
void record_limits(int seconds, void (*start_clock)(void), size_t operations);
/* The usual clock: sends this process SIGVTALRM every second of processor time. Another one sends it when it likes. */
void record_processor_time(void);

#endif
