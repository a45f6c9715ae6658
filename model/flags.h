/* Flags of shared segments: who has set them to what, and when, and who waits for it. */
#ifndef COLLSCOPE_MODEL_FLAGS_H
#define COLLSCOPE_MODEL_FLAGS_H

#include "model/engine.h"

/* The rank sets the flag: whoever waits for it looks again. */
void flags_publish(engine *, int rank, flag_state *, uint64_t value);
/* Whether the flag has reached the value at some time: the rank's clock then stands at the later of the two, and *setter is
 * who set it. */
bool flags_reached(engine *, int rank, const flag_state *, uint64_t value, int *setter);

#endif
