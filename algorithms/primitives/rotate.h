/* A rotation: every rank sends its block to its left neighbour and takes that of its right one. */
#ifndef COLLSCOPE_PRIMITIVES_ROTATE_H
#define COLLSCOPE_PRIMITIVES_ROTATE_H

#include "collscope.h"

/* How a rank with neighbours sends and receives; in place, out must keep its block until it has been sent. */
typedef void coll_rotate_exchange(coll_ctx *, const coll_args *, int left, int right);
void coll_rotate(coll_ctx *, const coll_args *, coll_rotate_exchange *);

/* By blocking messages: some ranks send before they receive, the others once they have received. Somebody must send
 * first: with nobody, all wait for each other. */
void coll_rotate_in_turn(coll_ctx *, const coll_args *, bool sends_first);

/* All ranks at once, in one round. */
static inline double coll_rotate_cost(const coll_args *a, double alpha, double beta, double gamma) {
  return a->size > 1 && a->count ? alpha + (double)a->count * (double)a->elem * beta : 0;
}

#endif
