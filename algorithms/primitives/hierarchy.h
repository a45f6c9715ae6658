/* Sub-grouping: the levels of a machine by name, and the groups of a rank.
 *
 * Each level that is named groups ranks that share the unit (cache, socket, node); the lowest rank leads its group, and only
 * leaders take part in the next level. The leaders of the last level form one more group, the top, over the network.
 *
 *   levels=socket_node, ranks 0 … 7 on 2 nodes of 2 sockets:
 *     socket   {0 1} {2 3}   {4 5} {6 7}
 *     node     {0 2}         {4 6}
 *     top      {0 4}
 */
#ifndef COLLSCOPE_PRIMITIVES_HIERARCHY_H
#define COLLSCOPE_PRIMITIVES_HIERARCHY_H

#include "primitives/fan.h"

/* The values of the parameter: sets of levels. flat: the top alone, all ranks in one group. */
extern const char *const coll_levels_words[];
enum { COLL_LEVELS_NODE = 1 << COLL_LEVEL_NODE, COLL_LEVELS_LAST = (1 << COLL_LEVELS) - 1 };
#define COLL_LEVELS_PARAM       \
  { .name = "levels",           \
    .value = COLL_LEVELS_NODE,  \
    .max = COLL_LEVELS_LAST,    \
    .words = coll_levels_words, \
    .help = "whose leaders meet: ranks that share a cache, a socket, a node" }
#define COLL_RADIX_PARAM { .name = "k", .value = 4, .min = 2, .max = 1024, .help = "radix of trees and of k-ing" }

typedef struct {
  int groups;                        /* levels, and the top */
  int mine;                          /* this rank is a member of group[0] … group[mine-1] and leads all but the last */
  bool leads_all;                    /* … and the last, too, which is the top */
  coll_group group[COLL_LEVELS + 1]; /* members ascend, so the leader is member 0 */
  coll_level level[COLL_LEVELS];     /* of groups 0 … groups-2 */
} coll_hierarchy;

/* In prepare(). */
coll_hierarchy *coll_hierarchy_make(coll_ctx *, long levels);

/* The member of this rank's group l from which data that starts at rank root comes to the others: the member on the root's
 * side where the root is below the group, else the leader. */
int coll_hierarchy_source(const coll_ctx *, const coll_hierarchy *, int l, int root);

/* NULL, or why a result in rank order cannot be had: a group's ranks are not consecutive. */
const char *coll_hierarchy_ordered(const coll_args *, long levels);

/* The broadcast whose root all know: in each group the data goes down a tree from the group's source. Of the group in which a
 * rank receives it passes data on to all its groups: together, outermost first, or one group after the other, from the
 * root's level up to the top and down again. */
void coll_hierarchy_bcast(coll_ctx *, const coll_args *, bool n_ary, int k, bool together);

#endif
