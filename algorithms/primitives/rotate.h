/* A rotation by blocking messages: some ranks send before they receive, the others once they have received. */
#ifndef COLLSCOPE_PRIMITIVES_ROTATE_H
#define COLLSCOPE_PRIMITIVES_ROTATE_H

#include "collscope.h"

/* Somebody must send first: with nobody, all wait for each other. */
void coll_rotate_in_turn(coll_ctx *, const coll_args *, bool sends_first);

#endif
