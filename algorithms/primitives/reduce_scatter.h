/* Reduce-scatters over a hypercube, shared by reduce_scatter and reduce_scatter_block: in[n] of every rank is added up,
 * and rank r gets block r of the sum at out, of coll_block or, if not NULL, displs. With p no power of two the even one of the first pairs of
 * ranks hands its vector to the odd one, which works for both. out may be in. Any p, any n > 0. */
#ifndef COLLSCOPE_PRIMITIVES_REDUCE_SCATTER_H
#define COLLSCOPE_PRIMITIVES_REDUCE_SCATTER_H

#include "collscope.h"

/* Halving distance: blocks end where they belong. The operator must commute. Empty blocks are not sent. */
void coll_recursive_halving(coll_ctx *, const void *in, void *out, size_t n, const size_t *displs);

/* Doubling distance: keeps the rank order, but a rank ends with the block of the rank whose number has its bits in the
 * opposite order. Either a last exchange puts that right, or the blocks change places before the first one (turned: p a
 * power of two that divides n, no displs). */
void coll_butterfly(coll_ctx *, const void *in, void *out, size_t n, const size_t *displs, bool turned);

/* One port, n in bytes; exact for p a power of two that divides the count. Without the butterfly's last exchange. */
double coll_cube_cost(int p, double n, double alpha, double beta, double gamma);
bool coll_cube_exact(int p, size_t count);

#endif
