/* Rabenseifner's reduce and allreduce: fold to a power of two, then recursive halving of the vector with doubling distance;
 * what each rank then has is gathered, or brought together everywhere by recursive doubling. The operator must commute. */
#ifndef COLLSCOPE_PRIMITIVES_HALVING_H
#define COLLSCOPE_PRIMITIVES_HALVING_H

#include "collscope.h"
#include "patterns/block.h"
#include "patterns/fold.h"

/* SPLIT: the partners of a pair add up one half each, of a vector and of what is left of it, as Open MPI does. WHOLE: one of
 * a pair gets the other's whole vector, and the vector is cut into one block for each who stays, as MPICH does. */
typedef enum { COLL_HALVING_SPLIT, COLL_HALVING_WHOLE } coll_halving;

/* What virtual rank v keeps and gives away in step i, in which its partner is v ^ 2^i: window[i], i < f.lg. */
typedef struct {
  coll_span keep, give;
} coll_window;
void coll_halving_windows(coll_fold f, coll_halving way, int v, size_t n, coll_window *window);

/* Reduces sum[n] (this rank's own contribution at the start; spare: n elements of scratch) so that the ranks that
 * stay hold the result of their last window's `keep`. Leaves window[] filled for them. Returns the
 * virtual rank, -1 for those who do not stay. */
int coll_halving_reduce(coll_ctx *, coll_fold, coll_halving, void *sum, void *spare, size_t n, coll_window *window);

/* Seconds of the fold and the halving, n in bytes. */
double coll_halving_cost(int p, coll_halving way, double n, double alpha, double beta, double gamma);

/* All of a reduce and an allreduce this way. */
void coll_halving_gather_reduce(coll_ctx *, const coll_args *, coll_halving);
double coll_halving_gather_reduce_cost(const coll_args *, coll_halving, double alpha, double beta, double gamma);
void coll_halving_allreduce(coll_ctx *, const coll_args *, coll_fold_stays, coll_halving);
double coll_halving_allreduce_cost(const coll_args *, coll_halving, double alpha, double beta, double gamma);
bool coll_halving_exact(const coll_args *);

#endif
