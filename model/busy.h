/* How long a rank is busy, whatever the others do: a time that a schedule cannot beat, known before anything is played. */
#ifndef COLLSCOPE_MODEL_BUSY_H
#define COLLSCOPE_MODEL_BUSY_H

#include "core/schedule/schedule.h"
#include "model/machine.h"

/* What `advance` of ranks.c adds to the rank's clock for work of its own: posting sends, taking in eager messages, combining and copying. */
double busy_at_least(const machine *, const record *, int rank);

#endif
