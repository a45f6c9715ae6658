/* Schedules told apart by a number: equal are those with equal hashes, of 128 bits. */
#ifndef COLLSCOPE_CORE_SCHEDULE_HASH_H
#define COLLSCOPE_CORE_SCHEDULE_HASH_H

#include "core/schedule/schedule.h"

/* Over the whole call: its shape, every operation and the segments. hash[1] is never 0. */
void record_hash(const record *, uint64_t hash[2]);

#endif
