/* Several leaders on each node, and the ranks that each looks after: its group, itself first.
 *
 *   a node with ranks 0 1 2 3 on socket A and 4 5 6 7 on socket B
 *   per socket, 1 leader    {0 1 2 3 4 5 6 7}
 *               2           {0 1 2 3} {4 5 6 7}
 *               4           {0 1} {2 3} {4 5} {6 7}
 *   one socket, 2           {0 2 3 4} {1 5 6 7}
 */
#ifndef COLLSCOPE_PATTERNS_LEADERS_H
#define COLLSCOPE_PATTERNS_LEADERS_H

#include "collscope.h"

typedef struct {
  int groups;
  int *first;  /* [groups+1], memory of the caller: p+1 numbers */
  int *member; /* [p], likewise: group g is member[first[g]] … member[first[g+1]-1] */
} coll_leaders;

/* Groups node by node. one_socket: all leaders of a node on its first socket. Returns NULL, or why it cannot be done. */
const char *coll_leaders_make(coll_leaders *, int p, const coll_place *, int per_node, bool one_socket);

#endif
