/* Messages that carry nothing but the news that a rank has come: what barriers are made of. */
#ifndef COLLSCOPE_PRIMITIVES_SIGNAL_H
#define COLLSCOPE_PRIMITIVES_SIGNAL_H

#include "collscope.h"

static inline void coll_signal(coll_ctx *c, int to) { coll_send(c, NULL, 0, to); }
static inline void coll_hear(coll_ctx *c, int from) { coll_recv(c, NULL, 0, from); }
static inline void coll_signal_and_hear(coll_ctx *c, int to, int from) { coll_sendrecv(c, NULL, 0, to, NULL, 0, from); }

#endif
