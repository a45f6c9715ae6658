/* Rounds on the circulant graph over a turned vector: p blocks (coll_block), this rank's own first, then those of the ranks after it,
 * modulo p; of a reduce-scatter cut by displs, if not NULL. ⌈lg p⌉ rounds each, p-1 blocks sent and received by each rank, for any p and n > 0; empty blocks travel as empty messages.
 * The rounds after Träff 2024, arXiv 2410.14234. */
#ifndef COLLSCOPE_PRIMITIVES_CIRCULANT_H
#define COLLSCOPE_PRIMITIVES_CIRCULANT_H

#include "collscope.h"

/* Copies in[n], blocks in the order of ranks, to turned[n]; and back. They do not overlap. */
void coll_circulant_turn(coll_ctx *, void *turned, const void *in, size_t n, const size_t *displs);
void coll_circulant_turn_back(coll_ctx *, void *out, const void *turned, size_t n);

/* Leaves the sum of this rank's block at the start of turned; the rest is used up. The operator must commute. */
void coll_circulant_reduce_scatter(coll_ctx *, void *turned, size_t n, const size_t *displs);

/* This rank's block stands at the start of turned; afterwards all do. */
void coll_circulant_allgather(coll_ctx *, void *turned, size_t n);

/* A reduce-scatter of in[n] whose result is put at out, which may be in. */
void coll_circulant_reduce_scatter_to(coll_ctx *, const void *in, void *out, size_t n, const size_t *displs);

/* One port, n bytes in all, gamma = 0 for the allgather: exact where p divides the count. */
double coll_circulant_cost(int p, double n, double alpha, double beta, double gamma);

#endif
