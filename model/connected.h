/* The shares of all flows that hang together. */
#ifndef COLLSCOPE_MODEL_CONNECTED_H
#define COLLSCOPE_MODEL_CONNECTED_H

#include "model/flows.h"

/* Lists as solved all flows, and as reached all resources, that hang together with this one: shares elsewhere do not change. */
void connected_reach(fluid *, int res);
/* Max-min shares: raises all rates together; who crosses the resource that fills up first stays there, and so on. */
void connected_fill(fluid *);

#endif
