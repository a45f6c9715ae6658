/* Steps of recursive k-ing with data: the k-1 messages to a rank's partners and those from them, all at once, and adding up what
 * came in the order of ranks. */
#ifndef COLLSCOPE_PRIMITIVES_MEET_H
#define COLLSCOPE_PRIMITIVES_MEET_H

#include "collscope.h"
#include "patterns/radix.h"

/* Elements of a buffer. */
typedef struct {
  void *at;
  size_t n;
} coll_piece;

/* Number v's digit of this weight, and its meeting with those who differ in it alone: give[i] goes to the one whose digit is i,
 * take[i] comes from it. [k] each; the pieces at the own digit are not used. */
static inline int coll_radix_digit(coll_radix r, int v, int weight) { return v / weight % r.king.k; }
void coll_meet(coll_ctx *, coll_radix, int v, int weight, const coll_piece *give, const coll_piece *take);

/* Before the steps: one who does not stay hands in[n] to the one who works for it. One who stays takes the vectors of its extras, one
 * after the other, into spare[n] and adds them to sum. Returns the number of a rank that stays, -1 for others. */
int coll_meet_fold(coll_ctx *, coll_radix, const void *in, void *sum, void *spare, size_t n);

/* After them: all[n] from those who stay to their extras. */
void coll_meet_unfold(coll_ctx *, coll_radix, int v, void *all, size_t n);

/* Allreduce by whole vectors. */
void coll_multiply_allreduce(coll_ctx *, const coll_args *, coll_radix_fold);
double coll_multiply_allreduce_cost(const coll_args *, coll_radix_fold, double alpha, double beta, double gamma);
bool coll_multiply_exact(const coll_args *);

/* The most extras that one rank works for. */
int coll_meet_extras(coll_radix);

#endif
