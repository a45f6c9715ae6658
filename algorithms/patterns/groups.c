/* Sub-groups, and the groups that share a node, a socket or a cache. */
#include <stdlib.h>
#include <string.h>

#include "collscope.h"

/* A unit lies within one of the level above, so that groups nest whatever a file or a kernel says: ranks of two sockets share
 * no cache. */
static bool together(const coll_place *a, const coll_place *b, coll_level level) {
  return a->node == b->node && (level == COLL_LEVEL_NODE || a->socket == b->socket) &&
         (level != COLL_LEVEL_CACHE || a->cache == b->cache);
}

/* Where the group of rank r stands in a table of leaders with 2^bits places: a leader's rank, or -1. */
static int *leader_slot(int *table, int bits, coll_level level, const coll_place *place, int r) {
  const coll_place *at = &place[r];
  uint64_t h = (uint32_t)at->node;
  if (level != COLL_LEVEL_NODE) h = h * 0x9E3779B97F4A7C15u + (uint32_t)at->socket;
  if (level == COLL_LEVEL_CACHE) h = h * 0x9E3779B97F4A7C15u + (uint32_t)at->cache;
  size_t i = h * 0x9E3779B97F4A7C15u >> (64 - bits);
  while (table[i] >= 0 && !together(&place[table[i]], at, level)) i = (i + 1) & (((size_t)1 << bits) - 1);
  return &table[i];
}

void coll_grouping_make(coll_grouping *g, coll_level level, int size, const coll_place *place) {
  int bits = 1;
  while (bits < 31 && (1LL << bits) < 2LL * size) bits++;
  size_t slots = (size_t)1 << bits;
  g->group_of = malloc(sizeof(int) * (size_t)size);
  g->member = malloc(sizeof(int) * (size_t)size);
  g->first = calloc((size_t)size + 1, sizeof(int));
  int *leader = malloc(sizeof(int) * slots);
  if (!g->group_of || !g->member || !g->first || !leader) abort();
  memset(leader, 0xff, sizeof(int) * slots);
  g->groups = 0;
  for (int r = 0; r < size; r++) {
    int *at = leader_slot(leader, bits, level, place, r);
    if (*at < 0) {
      *at = r;
      g->group_of[r] = g->groups++;
    } else g->group_of[r] = g->group_of[*at];
    g->first[g->group_of[r] + 1]++;
  }
  for (int k = 0; k < g->groups; k++) g->first[k + 1] += g->first[k];
  memcpy(leader, g->first, sizeof(int) * (size_t)g->groups); /* from here on: the next free place of each group */
  for (int r = 0; r < size; r++) g->member[leader[g->group_of[r]]++] = r;
  free(leader);
}

void coll_grouping_free(coll_grouping *g) {
  free(g->group_of);
  free(g->first);
  free(g->member);
}

bool coll_sub(coll_ctx *c, int label, const int *members, int n, coll_ctx *sub) {
  int me = 0;
  while (me < n && members[me] != c->rank) me++;
  if (me == n) return false;
  int *world = coll_keep(c, sizeof(int) * (size_t)n);
  coll_place *place = coll_keep(c, sizeof(coll_place) * (size_t)n);
  for (int i = 0; i < n; i++) {
    world[i] = c->world ? c->world[members[i]] : members[i];
    place[i] = c->place[members[i]];
  }
  *sub = (coll_ctx){ .ops = c->ops,
                     .self = c->self,
                     .rank = me,
                     .size = n,
                     .world = world,
                     .place = place,
                     .label = c->label * 16 + label,
                     .elem = c->elem };
  return true;
}
