/* bcast/hierarchical_sequential[levels,k]
 * Idea     the messages of bcast/hierarchical_known_root, but a rank finishes with one level before it starts the next: from
 *          the root's own up to the top, then down
 * Rounds   the sum over the levels of their deepest trees, at most
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Cheetah (sequential hierarchical broadcast)
 *
 *          ranks 0 1 2 on one node, 3 4 5 on another; levels=node, root 0
 *          rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
 *  start   x        .        .        .        .        .
 *  1       x        x        x        .        .        .          0 → 1, 0 → 2: the root's group
 *  2       x        x        x        x        .        .          0 → 3: the leaders
 *  3       x        x        x        x        x        x          3 → 4, 3 → 5
 */
#include "primitives/hierarchy.h"

static void *prepare(coll_ctx *c, const coll_args *a) { return coll_hierarchy_make(c, a->param[0]); }
static void run(coll_ctx *c, const coll_args *a) { coll_hierarchy_bcast(c, a, false, (int)a->param[1], false); }

static const coll_param params[] = { COLL_LEVELS_PARAM, COLL_RADIX_PARAM, { .name = NULL } };

const coll_alg bcast_hierarchical_sequential = {
  .key = "bcast/hierarchical_sequential",
  .collective = COLL_BCAST,
  .summary = "k-nomial trees within the machine's levels, one level after the other",
  .source = "Cheetah",
  .params = params,
  .flags = COLL_PLACES,
  .ports = COLL_PORTS_MANY,
  .prepare = prepare,
  .run = run,
};
