#include "patterns/leaders.h"

#include <stdlib.h>
#include <string.h>

#include "patterns/block.h"

/* Adds `groups` groups of consecutive entries of rank[n], as even as can be. */
static void cut(coll_leaders *l, const int *rank, int n, int groups) {
  int at = l->first[l->groups];
  memcpy(l->member + at, rank, sizeof(int) * (size_t)n);
  for (int g = 1; g <= groups; g++) l->first[++l->groups] = at + (int)coll_block((size_t)n, groups, g).first;
}

/* rank[n]: the node's ranks, socket after socket; end[s]: where socket s ends. */
static const char *per_socket(coll_leaders *l, const int *rank, const int *end, int sockets, int leaders) {
  for (int unit = 0, units = leaders < sockets ? leaders : sockets, from = 0; unit < units; unit++) {
    int to = end[coll_block((size_t)sockets, units, unit + 1).first - 1];
    int groups = (int)coll_block((size_t)leaders, units, unit).count;
    if (to - from < groups) return "a socket has fewer ranks than leaders; take a smaller per_node";
    cut(l, rank + from, to - from, groups);
    from = to;
  }
  return NULL;
}

static const char *on_one_socket(coll_leaders *l, const int *rank, int n, int on_first, int leaders) {
  if (on_first < leaders) return "the first socket of a node has fewer ranks than leaders; take a smaller per_node";
  for (int g = 0; g < leaders; g++) {
    coll_span s = coll_block((size_t)(n - leaders), leaders, g);
    int at = l->first[l->groups];
    l->member[at] = rank[g];
    memcpy(l->member + at + 1, rank + (size_t)leaders + s.first, sizeof(int) * s.count);
    l->first[++l->groups] = at + 1 + (int)s.count;
  }
  return NULL;
}

const char *coll_leaders_make(coll_leaders *l, int p, const coll_place *place, int leaders, bool one_socket) {
  coll_grouping node, socket;
  coll_grouping_make(&node, COLL_LEVEL_NODE, p, place);
  coll_grouping_make(&socket, COLL_LEVEL_SOCKET, p, place);
  int *rank = malloc(2 * sizeof(int) * (size_t)p), *end = rank + p;
  if (!rank) abort();
  const char *wrong = NULL;
  l->groups = l->first[0] = 0;
  for (int k = 0; k < node.groups && !wrong; k++) {
    int n = 0, sockets = 0;
    for (int i = node.first[k]; i < node.first[k + 1]; i++) {
      int s = socket.group_of[node.member[i]];
      if (socket.member[socket.first[s]] != node.member[i]) continue; /* its socket is in the list already */
      for (int j = socket.first[s]; j < socket.first[s + 1]; j++) rank[n++] = socket.member[j];
      end[sockets++] = n;
    }
    if (n < leaders) wrong = "a node has fewer ranks than leaders; take a smaller per_node";
    else wrong = one_socket ? on_one_socket(l, rank, n, end[0], leaders) : per_socket(l, rank, end, sockets, leaders);
  }
  free(rank);
  coll_grouping_free(&node);
  coll_grouping_free(&socket);
  return wrong;
}
