/* Minimum spanning tree primitives: short vectors, ⌈lg p⌉ rounds. The tree is that of patterns/mst.h over all ranks of
 * the context. Any p, any root, any n > 0; blocks are those of coll_block(n, p, i), and empty ones travel as empty
 * messages.
 *
 * Scatter and gather work in `hold`, where the blocks of a rank's part of the tree lie side by side: at rank r, blocks
 * lo … hi-1 of coll_mst_place(p, root, r, dest); at the root all of them. Nothing is copied, so whoever calls them
 * decides whether `hold` is scratch or a place in the result.
 *
 * Costs: seconds, for the one-port network; copies are free. Algorithms send nothing for n = 0: cost 0.
 */
#ifndef COLLSCOPE_PRIMITIVES_MST_H
#define COLLSCOPE_PRIMITIVES_MST_H

#include "collscope.h"
#include "patterns/block.h"
#include "patterns/lg.h"
#include "patterns/mst.h"

/* n elements from buf at the root to buf everywhere. */
void coll_mst_bcast(coll_ctx *c, void *buf, size_t n, int root, coll_mst_dest dest);

/* Reduces n elements to out at the root, in rank order unless the operator commutes. At other ranks out may be NULL;
 * if it is not, it serves as scratch. in == out is allowed anywhere; otherwise in is not written. */
void coll_mst_reduce(coll_ctx *c, const void *in, void *out, size_t n, int root, coll_mst_dest dest, bool commutes);

/* The blocks of hold at this rank, as elements of the whole vector: element first is hold's first. */
static inline coll_span coll_mst_held(const coll_ctx *c, size_t n, int root, coll_mst_dest dest) {
  coll_mst_node me = coll_mst_place(c->size, root, c->rank, dest);
  return coll_blocks(n, c->size, me.lo, me.hi);
}

void coll_mst_scatter(coll_ctx *c, void *hold, size_t n, int root, coll_mst_dest dest);
void coll_mst_gather(coll_ctx *c, void *hold, size_t n, int root, coll_mst_dest dest);

/* Reduces in[n] to rank 0 and scatters the sum: out gets this rank's block. in == out is allowed, if it is so at every rank. */
void coll_mst_reduce_scatter(coll_ctx *c, const void *in, void *out, size_t n, bool commutes);

/* Exact for any p and root, as is the reduction's. */
static inline double coll_mst_bcast_cost(int p, double bytes, double alpha, double beta) {
  return bytes > 0 ? coll_lg_up(p) * (alpha + bytes * beta) : 0;
}

static inline double coll_mst_reduce_cost(int p, double bytes, double alpha, double beta, double gamma) {
  return bytes > 0 ? coll_lg_up(p) * (alpha + bytes * beta + bytes * gamma) : 0;
}

/* Of scatter and of gather of n elements: the root sends all but its own block. That is (p-1)/p n when p divides n. */
static inline double coll_mst_scatter_cost(int p, size_t n, size_t elem, int root, double alpha, double beta) {
  return n ? coll_lg_up(p) * alpha + (double)((n - coll_block(n, p, root).count) * elem) * beta : 0;
}

/* Exact for any p and n. */
static inline double coll_mst_reduce_scatter_cost(int p, size_t n, size_t elem, double alpha, double beta,
                                                  double gamma) {
  return coll_mst_reduce_cost(p, (double)(n * elem), alpha, beta, gamma) +
         coll_mst_scatter_cost(p, n, elem, 0, alpha, beta);
}

/* From rank 0 the other half is never the larger one, so the root is on the longest path. Elsewhere that takes equal
 * halves and equal blocks: with p = 5 the longest path carries 4 or 5 blocks, by root. */
static inline bool coll_mst_scatter_exact(int p, size_t n, int root) {
  return root == 0 || (coll_is_power_of_two(p) && n % (size_t)p == 0);
}

#endif
