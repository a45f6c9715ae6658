/* What a k-nomial scatter followed by an allgather, and a reduce-scatter followed by a k-nomial gather share: ranks in the order of their
 * distance from the root, folded to the largest power of k (patterns/radix.h, dealt), and a vector of one block for each that stays. */
#ifndef COLLSCOPE_PRIMITIVES_KNOMIAL_PARTS_H
#define COLLSCOPE_PRIMITIVES_KNOMIAL_PARTS_H

#include "patterns/tree.h"
#include "primitives/meet_blocks.h"

typedef struct {
  coll_ctx from_root; /* rank i is the i-th from the root on */
  coll_radix radix;
  int v; /* this rank's number; -1: it does not stay */
  size_t n;
  coll_tree tree; /* of those who stay, where this rank is one of them */
} coll_knomial_parts;

/* The call's first parameter is k. p >= 2, count > 0. */
coll_knomial_parts coll_knomial_parts_here(coll_ctx *, const coll_args *);

/* Where the blocks of numbers lo … hi - 1 lie. */
coll_number_blocks coll_knomial_blocks(const coll_knomial_parts *);

/* Blocks from the root down the tree, and up to it: those of a rank's part of the tree, at their places in `all`. Empty ones are not sent. */
void coll_knomial_parts_scatter(coll_knomial_parts *, void *all);
void coll_knomial_parts_gather(coll_knomial_parts *, void *all);

/* Seconds of the reduce-scatter and gather of n bytes, or with gamma = 0 of the scatter and allgather, without what ranks that do not stay
 * take. Exact for p a power of k that divides the count. */
double coll_knomial_parts_cost(const coll_args *, double alpha, double beta, double gamma);
bool coll_knomial_parts_exact(const coll_args *);

#endif
