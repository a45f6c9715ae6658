/* A schedule from a file (core/schedule/text.h), played as if it were an algorithm: every rank does what the file says of it. A point of
 * a plan takes it by the key COLLECTIVE/schedule. */
#ifndef COLLSCOPE_DRIVER_MEASURE_PLAYED_H
#define COLLSCOPE_DRIVER_MEASURE_PLAYED_H

#include "core/plan/plan.h"
#include "core/runtime/bind.h"

typedef struct played played;

/* Collective: every rank reads the file. NULL, with the reason in error[size], where one of them cannot, the files differ, or they hold
 * something that cannot be run again and again. */
played *played_open(MPI_Comm world, const char *path, char *error, size_t size);
void played_close(played *); /* NULL: nothing */

bool played_is_key(const char *key);
/* Binds the call to the schedule of the file. Returns NULL, or why the point is another call than the file's, in reason[size]. The
 * schedule is in args->prepared. NULL for `played`: no file was given. */
const char *played_bind(played *, const plan_point *, binding *, char *reason, size_t size);

#endif
