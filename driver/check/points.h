/* The points of a sweep: one algorithm over counts, roots, operators and parameters, for p ranks. Sweeps over MPI and over threads
 * visit the same ones. */
#ifndef COLLSCOPE_DRIVER_CHECK_POINTS_H
#define COLLSCOPE_DRIVER_CHECK_POINTS_H

#include "collscope.h"
#include "core/plan/plan.h"

typedef void points_visit(void *self, const coll_alg *, const coll_args *, plan_type, plan_op);

/* Calls visit, in an order that is always the same, for every point; some may be unsupported. args have no buffers, and param is valid
 * during the visit only. max_roots: with more ranks than this, only three roots; 0: every root. */
void points_each(const coll_alg *, int p, const coll_place *, int max_roots, points_visit *, void *self);

/* What such a point is called in messages. */
enum { POINTS_NAME = 384 };
void points_name(char *name, size_t size, const coll_alg *, const coll_args *, plan_type);

#endif
