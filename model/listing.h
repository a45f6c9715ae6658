/* What a timing tells of every message and operation, where that is wanted. */
#ifndef COLLSCOPE_MODEL_LISTING_H
#define COLLSCOPE_MODEL_LISTING_H

#include "model/engine.h"
#include "model/timing.h"

/* out->begin_s: a list for each rank, in one piece of memory, all zero. */
void listing_prepare(timing_result *out, const wiring *);
/* out->message and out->transfer, from the times of each. */
void listing_make(timing_result *out, const wiring *, const message_times *);

#endif
