/* Bine trees and butterflies with data: n elements in the blocks coll_block(n, p, i), any p, any n > 0. Empty blocks are not sent. */
#ifndef COLLSCOPE_PRIMITIVES_BINE_H
#define COLLSCOPE_PRIMITIVES_BINE_H

#include "collscope.h"
#include "patterns/bine.h"
#include "patterns/block.h"

/* This rank's place in the tree over all ranks of the context, and the ranks of integers of that tree. */
typedef struct {
  int p, root, low;
  int v; /* this rank's integer */
  coll_bine_node node;
} coll_bine_tree;
coll_bine_tree coll_bine_here(const coll_ctx *, int root);
static inline int coll_bine_rank(const coll_bine_tree *t, int v) { return (t->root + v + t->p) % t->p; }

/* The blocks of a part of the tree lie side by side in the order of integers: blocks node.lo … node.hi - 1, counted from `low`.
 * hold: their elements at this rank, the root's all n. */
coll_span coll_bine_held(const coll_bine_tree *, size_t n, int lo, int hi);
void coll_bine_scatter(coll_ctx *, const coll_bine_tree *, void *hold, size_t n);
void coll_bine_gather(coll_ctx *, const coll_bine_tree *, void *hold, size_t n);

/* Butterflies. Rank (first + i) mod p owns block i. Distances double in the allgather and halve in the reduce-scatter, its mirror
 * image; what a rank has, or adds up, is a range of blocks around its own on the ring, so that a message is one piece, or two where the
 * range goes over the end of the vector. With p odd the last block's rank leaves its part to the one before.
 *
 * Allgather: all[n] holds this rank's block at its place, in the end every block. Reduce-scatter: sum[n] holds this rank's
 * contribution, in the end its block of everybody's sum at its place, and partial sums elsewhere; the operator must commute. */
void coll_bine_allgather(coll_ctx *, void *all, size_t n, int first);
void coll_bine_reduce_scatter(coll_ctx *, void *sum, size_t n, int first);

/* Seconds of either, n in bytes, with gamma = 0 for the allgather; exact for p a power of two that divides the count. */
double coll_bine_cost(int p, double n, double alpha, double beta, double gamma);
bool coll_bine_exact(int p, size_t n);

#endif
