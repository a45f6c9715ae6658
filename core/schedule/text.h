/* A schedule as text, one operation per line: docs/schedules.md has the format. What is written and read again is the same schedule. */
#ifndef COLLSCOPE_CORE_SCHEDULE_TEXT_H
#define COLLSCOPE_CORE_SCHEDULE_TEXT_H

#include <stdio.h>

#include "core/schedule/schedule.h"

/* Writes a schedule without an error. `algorithm`: where it comes from, for the reader of the file; NULL: nothing is said of that. */
void schedule_write(FILE *, const record *, const char *algorithm);

/* Reads a file; "-" is standard input. NULL, with "FILE:LINE: what is wrong" in error[size], where the file breaks a rule that an
 * algorithm cannot break either: a buffer is left, `in` is written, a request is forgotten. Whether the schedule is right is for the
 * proof to say. A file without a promise (collective=none) has the collective COLL_COLLECTIVES: it has a time, and nothing to prove. */
record *schedule_read(const char *path, char *error, size_t size);
void schedule_free(record *);

/* "allreduce/ring[s=1024]", as the file says; "" where it says nothing. */
const char *schedule_algorithm(const record *);
/* From here on messages about an operation name its line. */
void schedule_sites(record *);
/* Forgets all calls but the first: a time is that of one call. */
void schedule_first_call(record *);

#endif
