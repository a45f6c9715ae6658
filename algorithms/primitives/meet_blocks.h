/* Recursive k-ing of blocks: those who stay (patterns/radix.h) meet in the order of their numbers, and blocks of numbers side by side lie side
 * by side in the vector. */
#ifndef COLLSCOPE_PRIMITIVES_MEET_BLOCKS_H
#define COLLSCOPE_PRIMITIVES_MEET_BLOCKS_H

#include "patterns/block.h"
#include "primitives/meet.h"

/* Where the blocks of numbers lo … hi - 1 lie. */
typedef struct {
  coll_span (*span)(const void *how, int lo, int hi);
  const void *how;
} coll_number_blocks;

/* The nearest meet first. Number v has its block in `all`; afterwards it has every block. */
void coll_meet_allgather(coll_ctx *, coll_radix, int v, void *all, coll_number_blocks);

/* The farthest meet first. Number v's block of sum ends as that of everybody's sum; the operator must commute. spare: room for
 * coll_meet_spare elements. */
void coll_meet_reduce_scatter(coll_ctx *, coll_radix, int v, void *sum, void *spare, coll_number_blocks);
size_t coll_meet_spare(coll_radix, coll_number_blocks);

/* A reduce-scatter of in[n], in the blocks coll_block(n, p, i), whose result is put at out, which may be in. Ranks that do not stay leave
 * their part to others, in order. Its cost is exact for p a power of k that divides the count. */
void coll_meet_reduce_scatter_to(coll_ctx *, const void *in, void *out, size_t n, int k);
double coll_meet_reduce_scatter_cost(int p, int k, double n, double alpha, double beta, double gamma);
bool coll_meet_reduce_scatter_exact(int p, int k, size_t n);

#endif
