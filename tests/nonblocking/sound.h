/* Whether a plan has all the order that it needs, and none that the blocking text has not. */
#ifndef COLLSCOPE_TESTS_NONBLOCKING_SOUND_H
#define COLLSCOPE_TESTS_NONBLOCKING_SOUND_H

#include "core/nonblocking/graph.h"

/* NULL, or what is wrong. `without`: as if this one of the plan's edges were not there; NULL: all are. */
const char *plan_fault(const coll_plan *, const uint32_t *without);

#endif
