/* The two-level broadcast of lab 6. */
#include "collscope.h"

/* The leader of rank r's node: the root on the root's node, elsewhere the lowest rank of the node. */
static int leader(coll_ctx *c, const coll_args *a, int r) {
  int node = c->place[r].node;
  if (c->place[a->root].node == node) return a->root;
  int lowest = 0;
  while (c->place[lowest].node != node) lowest++;
  return lowest;
}

/* A broadcast among ranks list[0 … n-1]; list[0] has the data. A rank that is not in the list does nothing. */
static void tree(coll_ctx *c, const coll_args *a, const int *list, int n) {
  int v = 0;
  while (v < n && list[v] != c->rank) v++;
  if (v == n) return;
  int top = 1;
  while (top < n) top *= 2;
  for (int d = top / 2; d > 0; d /= 2) {
    if (v % (2 * d) == 0 && v + d < n) coll_send(c, a->out, a->count, list[v + d]);
    else if (v % (2 * d) == d) coll_recv(c, a->out, a->count, list[v - d]);
  }
}

/* First the leaders, then each node by itself. */
static void two_level(coll_ctx *c, const coll_args *a) {
  if (a->count == 0) return;
  int *list = coll_keep(c, sizeof *list * (size_t)c->size); /* room for c->size ranks */
  int n = 0;
  list[n++] = a->root;
  for (int r = 0; r < c->size; r++)
    if (r != a->root && leader(c, a, r) == r) list[n++] = r;
  tree(c, a, list, n);
  int mine = leader(c, a, c->rank);
  n = 0;
  list[n++] = mine;
  for (int r = 0; r < c->size; r++)
    if (r != mine && leader(c, a, r) == mine) list[n++] = r;
  tree(c, a, list, n);
}

const coll_alg bcast_my_two_level = {
  .key = "bcast/my_two_level",
  .collective = COLL_BCAST,
  .summary = "leaders of nodes first, then each node by itself",
  .flags = COLL_PLACES,
  .run = two_level,
};
