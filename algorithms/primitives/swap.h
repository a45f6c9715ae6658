/* An exchange with one rank in which either message may be missing: it has a count of 0. */
#ifndef COLLSCOPE_PRIMITIVES_SWAP_H
#define COLLSCOPE_PRIMITIVES_SWAP_H

#include "collscope.h"

static inline void coll_swap(coll_ctx *c, int peer, const void *leaves, size_t ln, void *comes, size_t cn) {
  if (ln && cn) coll_sendrecv(c, leaves, ln, peer, comes, cn, peer);
  else if (ln) coll_send(c, leaves, ln, peer);
  else if (cn) coll_recv(c, comes, cn, peer);
}

#endif
