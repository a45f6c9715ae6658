/* Buffers of one call at one rank, with guards around what is written, and the check of what they hold afterwards. */
#ifndef COLLSCOPE_DRIVER_CHECK_VERIFY_H
#define COLLSCOPE_DRIVER_CHECK_VERIFY_H

#include "collscope.h"
#include "core/plan/plan.h"

typedef struct {
  const void *in;
  void *out;
  char *in_block, *out_block; /* as allocated */
  size_t in_bytes, out_bytes;
  bool made;
} buffers;
void buffers_make(buffers *, coll_collective, const coll_args *, int rank);
void buffers_free(buffers *);
/* Distinct values by rank and index in, poison out. */
void buffers_fill(buffers *, coll_collective, const coll_args *, int rank, plan_type, plan_op);
/* As a call finds buffers that were just allocated: on new pages, of which only those with data of the call were written. */
void buffers_renew(buffers *, coll_collective, const coll_args *, int rank, plan_type, plan_op);
/* The number of wrong elements at this rank, damaged guards and a changed `in` counted as one each. Says on standard error what
 * is wrong first, when `what` is not NULL. */
size_t buffers_check(const buffers *, coll_collective, const coll_args *, int rank, plan_type, plan_op,
                     const char *what);

#endif
