/* bcast/hierarchical_known_root[levels,k]
 * Idea     the groups of the machine's levels are ordered by where the data is: first the root's own, then those of the
 *          ranks it has reached. Who has the data starts all the groups it is a source of at once; k-nomial trees
 * Rounds   the deepest way from the root up to the top and down to a leaf
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Cheetah (known-root hierarchical broadcast)
 *
 *          ranks 0 1 2 on one node, 3 4 5 on another; levels=node, root 1
 *          rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
 *  start   .        x        .        .        .        .
 *  1       x        x        x        .        .        .          1 → 0, 1 → 2: the root's group
 *  2       x        x        x        x        .        .          0 → 3: the leaders
 *  3       x        x        x        x        x        x          3 → 4, 3 → 5
 */
#include "primitives/hierarchy.h"

static void *prepare(coll_ctx *c, const coll_args *a) { return coll_hierarchy_make(c, a->param[0]); }
static void run(coll_ctx *c, const coll_args *a) { coll_hierarchy_bcast(c, a, false, (int)a->param[1], true); }

static const coll_param params[] = { COLL_LEVELS_PARAM, COLL_RADIX_PARAM, { .name = NULL } };

const coll_alg bcast_hierarchical_known_root = {
  .key = "bcast/hierarchical_known_root",
  .collective = COLL_BCAST,
  .summary = "k-nomial trees within the machine's levels, a rank's groups started together",
  .source = "Cheetah",
  .params = params,
  .flags = COLL_PLACES,
  .ports = COLL_PORTS_MANY,
  .prepare = prepare,
  .run = run,
};
