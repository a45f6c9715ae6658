/* Parallel aggregated trees with data: patterns/pat.h. Any p, any n > 0; a is a power of two. */
#ifndef COLLSCOPE_PRIMITIVES_PAT_H
#define COLLSCOPE_PRIMITIVES_PAT_H

#include "collscope.h"
#include "patterns/pat.h"

/* Rank r has block r at its place in all[p·m]; afterwards it has every block. */
void coll_pat_allgather(coll_ctx *, void *all, size_t m, long a);

/* out = block r, as coll_block cuts n elements, of the sum of everybody's in[n]; in == out is allowed. The operator must commute. */
void coll_pat_reduce_scatter(coll_ctx *, const void *in, void *out, size_t n, long a);

/* Steps of either, and why a number of blocks cannot travel together, or NULL. */
static inline const char *coll_pat_supports(const coll_args *a) {
  return a->param[0] & (a->param[0] - 1) ? "needs a power of two of blocks that travel together; take a=1, 2, 4, 8, …"
                                         : NULL;
}

#define COLL_PAT_PARAM \
  { .name = "a", .value = 4, .min = 1, .max = 1L << 20, .help = "blocks that travel together: a power of two" }

#endif
