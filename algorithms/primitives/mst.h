/* Minimum spanning tree primitives: short vectors, ⌈lg p⌉ rounds. The tree is that of patterns/mst.h over all ranks of
 * the context. Any p, any root, any n > 0; blocks are those of coll_block(n, p, i), and empty ones travel as empty messages.
 *
 * Scatter and gather work in `hold`, where the blocks of a rank's part of the tree lie side by side: at rank r, blocks
 * lo … hi-1 of coll_mst_place(p, root, r, dest); at the root all of them. Nothing is copied, so whoever calls them
 * decides whether `hold` is scratch or a place in the result.
 *
 * Costs: seconds, n in bytes, for the one-port network; copies are free. Algorithms send nothing for n = 0: cost 0.
 */
#ifndef COLLSCOPE_MST_H
#define COLLSCOPE_MST_H

#include "../collscope.h"
#include "../patterns/block.h"
#include "../patterns/lg.h"
#include "../patterns/mst.h"

/* n elements from buf at the root to buf everywhere. */
void coll_mst_bcast(coll_ctx *c, void *buf, size_t n, int root, coll_mst_dest dest);

/* Reduces n elements to out at the root, in rank order unless the operator commutes. At other ranks out may be NULL; if it
 * is not, it serves as scratch. in == out is allowed anywhere; otherwise in is not written. */
void coll_mst_reduce(coll_ctx *c, const void *in, void *out, size_t n, int root, coll_mst_dest dest, bool commutes);

/* The blocks of hold at this rank, as elements of the whole vector: element first is hold's first. */
static inline coll_span coll_mst_held(const coll_ctx *c, size_t n, int root, coll_mst_dest dest) {
  coll_mst_node me = coll_mst_place(c->size, root, c->rank, dest);
  return coll_blocks(n, c->size, me.lo, me.hi);
}

void coll_mst_scatter(coll_ctx *c, void *hold, size_t n, int root, coll_mst_dest dest);
void coll_mst_gather(coll_ctx *c, void *hold, size_t n, int root, coll_mst_dest dest);

static inline double coll_mst_bcast_cost(int p, double n, double alpha, double beta) {
  return n > 0 ? coll_lg_up(p) * (alpha + n * beta) : 0;
}

static inline double coll_mst_reduce_cost(int p, double n, double alpha, double beta, double gamma) {
  return n > 0 ? coll_lg_up(p) * (alpha + n * beta + n * gamma) : 0;
}

/* Of scatter and of gather; exact when p is a power of two that divides n, else the longest path may carry more. */
static inline double coll_mst_scatter_cost(int p, double n, double alpha, double beta) {
  return n > 0 ? coll_lg_up(p) * alpha + (p - 1.0) / p * n * beta : 0;
}

#endif
