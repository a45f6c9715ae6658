/* Rabenseifner's first half, shared by reduce and allreduce: fold to a power of two with both partners of a pair at
 * work on one half of the vector each, then recursive halving of the vector with doubling distance. The operator must
 * commute. */
#ifndef COLLSCOPE_HALVING_H
#define COLLSCOPE_HALVING_H

#include "../collscope.h"
#include "../patterns/block.h"
#include "../patterns/fold.h"

/* What virtual rank v keeps and gives away in step i, in which its partner is v ^ 2^i: window[i], i < f.lg. */
typedef struct { coll_span keep, give; } coll_window;
void coll_halving_windows(coll_fold f, int v, size_t n, coll_window *window);

/* Reduces sum[n] (this rank's own contribution at the start; spare: n elements of scratch) so that the ranks that
 * stay (the even ones) hold the result of their last window's `keep`. Leaves window[] filled for them. Returns the
 * virtual rank, -1 for those who do not stay. */
int coll_halving_reduce(coll_ctx *, coll_fold, void *sum, void *spare, size_t n, coll_window *window);

/* Seconds of the fold and the halving, n in bytes. */
double coll_halving_cost(int p, double n, double alpha, double beta, double gamma);

#endif
