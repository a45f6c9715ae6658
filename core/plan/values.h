/* Elements of a plan's types: values to put in, and operators by plain C, the reference. */
#ifndef COLLSCOPE_CORE_PLAN_VALUES_H
#define COLLSCOPE_CORE_PLAN_VALUES_H

#include "core/plan/plan.h"

/* right = left op right on n elements. */
void values_apply(plan_type, plan_op, const void *left, void *right, size_t n);
/* Elements first … first+n-1 of rank's input to a reduction over so many ranks: small whole numbers, so that sums and products are exact in
 * every type. Sums of bytes stay below 256: what is beyond, MPI leaves open, and Open MPI (4.1 on, with AVX) stops there. */
void values_make(plan_type, plan_op, int ranks, int rank, size_t first, size_t n, void *elements);

#endif
