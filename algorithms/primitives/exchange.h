/* Every rank sends a block to every other, without blocking. */
#ifndef COLLSCOPE_PRIMITIVES_EXCHANGE_H
#define COLLSCOPE_PRIMITIVES_EXCHANGE_H

#include "collscope.h"

/* An alltoall, not in place. In step i a rank receives from the i-th rank on its right and sends to the i-th on its
 * left. window: how many receives, and how many sends, are outstanding at most; the next one is posted when the oldest
 * has ended. 0 or p-1 and more: all of them at once, receives first. */
void coll_exchange(coll_ctx *, const coll_args *, long window);

/* An allgather the same way: each rank sends its one block to all the others. */
void coll_exchange_own(coll_ctx *, const coll_args *, long window);

/* The window as a parameter. */
#define COLL_WINDOW_PARAM(most) \
  { .name = "max_requests", .value = most, .max = 1L << 30, .help = "max outstanding receives, and sends; 0: no limit" }

/* One port: (p-1) (alpha + m beta), m bytes of a block. */
static inline double coll_exchange_cost(const coll_args *a, double alpha, double beta) {
  return a->count ? (a->size - 1) * (alpha + (double)(a->count * a->elem) * beta) : 0;
}

/* Why an alltoall that Open MPI turns into another one cannot run this call, or NULL. */
static inline const char *coll_exchange_supports(const coll_args *a) {
  return a->in_place ? "needs two buffers; Open MPI takes alltoall/in_place instead" : NULL;
}

/* Why an alltoall that swaps blocks where they lie cannot run this call, or NULL. */
static inline const char *coll_in_place_only(const coll_args *a) {
  return a->in_place ? NULL : "works in place only; take another alltoall";
}

#endif
