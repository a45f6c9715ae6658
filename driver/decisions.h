/* Decisions that a plan's points read from files: ranks that read different ones would wait for each other. */
#ifndef COLLSCOPE_DRIVER_DECISIONS_H
#define COLLSCOPE_DRIVER_DECISIONS_H

#include "core/plan/plan.h"
#include "driver/launch.h"

/* Collective: do all ranks read the same rules? False, with what is wrong in error[size] at all of them. */
bool decisions_agree(const launch *, const plan *, char *error, size_t size);

#endif
