/* Which operations write what another core's cache has, too: bytes that a receiver of the same node has read out of this rank's buffers since
 * they were last written. */
#ifndef COLLSCOPE_MODEL_INVALIDATION_H
#define COLLSCOPE_MODEL_INVALIDATION_H

#include "model/match.h"

/* Notes it of a rank's operations, which are those from `base` on: at a receive, a copy or a combining, or at the last wait of the call that
 * waits for the receive. The call finds what a call before it has left; a loop, and fresh buffers, begin with nothing. */
void invalidation_see(wiring *, const record *, int rank, size_t base);

#endif
