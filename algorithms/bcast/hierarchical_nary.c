/* bcast/hierarchical_nary[levels,n]
 * Idea     bcast/hierarchical_known_root with N-ary trees within a group
 * Rounds   the deepest way from the root up to the top and down to a leaf
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Cheetah (N-ary hierarchical broadcast)
 *
 *          ranks 0 to 4 on one node, 5 and 6 on another; levels=node, n = 2, root 0
 *          rank 0   rank 1   rank 2   rank 3   rank 4   rank 5   rank 6
 *  start   x        .        .        .        .        .        .
 *  1       x        x        x        .        .        x        .          0 → 5: the leaders; 0 → 1, 0 → 2
 *  2       x        x        x        x        x        x        x          1 → 3, 1 → 4; 5 → 6
 */
#include "primitives/hierarchy.h"

static void *prepare(coll_ctx *c, const coll_args *a) { return coll_hierarchy_make(c, a->param[0]); }
static void run(coll_ctx *c, const coll_args *a) { coll_hierarchy_bcast(c, a, true, (int)a->param[1], true); }

static const coll_param params[] = {
  COLL_LEVELS_PARAM,
  { .name = "n", .value = 4, .min = 1, .max = 1024, .help = "children of a rank in a group's tree" },
  { .name = NULL },
};

const coll_alg bcast_hierarchical_nary = {
  .key = "bcast/hierarchical_nary",
  .collective = COLL_BCAST,
  .summary = "N-ary trees within the machine's levels, a rank's groups started together",
  .source = "Cheetah",
  .params = params,
  .flags = COLL_PLACES,
  .ports = COLL_PORTS_MANY,
  .prepare = prepare,
  .run = run,
};
