/* MPICH's kinds of trees, as parameters. */
#ifndef COLLSCOPE_PRIMITIVES_MPICH_TREE_H
#define COLLSCOPE_PRIMITIVES_MPICH_TREE_H

#include "collscope.h"
#include "patterns/segment.h"
#include "patterns/tree.h"

enum { COLL_MPICH_TREE, COLL_MPICH_K, COLL_MPICH_S };
enum { COLL_MPICH_KARY, COLL_MPICH_KNOMIAL_1, COLL_MPICH_KNOMIAL_2 };
#define COLL_MPICH_TREE_PARAMS                                                                                     \
  [COLL_MPICH_TREE] = { .name = "tree",                                                                            \
                        .value = COLL_MPICH_KARY,                                                                  \
                        .max = COLL_MPICH_KNOMIAL_2,                                                               \
                        .words = coll_mpich_trees,                                                                 \
                        .help = "k children each; k-nomial, numbered in preorder; k-nomial, numbered by digits" }, \
  [COLL_MPICH_K] = { .name = "k", .value = 2, .min = 2, .max = 1024, .help = "children, or radix" },               \
  [COLL_MPICH_S] = COLL_SEGMENT_PARAM(8 << 10)

static const char *const coll_mpich_trees[] = { "kary", "knomial_1", "knomial_2" };

static inline coll_tree_shape coll_mpich_shape(const coll_args *a) {
  static const coll_tree_shape shape[] = { COLL_TREE_N_ARY, COLL_TREE_KNOMIAL_PREORDER, COLL_TREE_KNOMIAL_REVERSED };
  return shape[a->param[COLL_MPICH_TREE]];
}

#endif
