#include "primitives/hierarchy.h"

#include <string.h>

#include "patterns/tree.h"

const char *const coll_levels_words[] = { "flat", "cache",      "socket",      "cache_socket",
                                          "node", "cache_node", "socket_node", "cache_socket_node" };

static int leader_of(const coll_grouping *g, int rank) { return g->member[g->first[g->group_of[rank]]]; }

/* No more ranks take part in group l of this rank. */
static int most_members(const coll_ctx *c, const coll_hierarchy *h, int l) {
  const coll_grouping *g = &c->levels[h->level[l < h->groups - 1 ? l : l ? l - 1 : 0]];
  if (l < h->groups - 1) return g->first[g->group_of[c->rank] + 1] - g->first[g->group_of[c->rank]];
  return l ? g->groups : c->size;
}

/* The ranks that take part in group l of this rank, which is one of them. */
static int members_of(const coll_ctx *c, const coll_hierarchy *h, int l, int *member) {
  const coll_grouping *below = l ? &c->levels[h->level[l - 1]] : NULL;
  int n = 0;
  if (l < h->groups - 1) {
    const coll_grouping *g = &c->levels[h->level[l]];
    for (int i = g->first[g->group_of[c->rank]]; i < g->first[g->group_of[c->rank] + 1]; i++)
      if (!below || leader_of(below, g->member[i]) == g->member[i]) member[n++] = g->member[i];
  } else {
    for (int i = 0; i < (below ? below->groups : c->size); i++)
      member[n++] = below ? below->member[below->first[i]] : i;
  }
  return n;
}

coll_hierarchy *coll_hierarchy_make(coll_ctx *c, long levels) {
  coll_hierarchy *h = coll_keep(c, sizeof *h);
  memset(h, 0, sizeof *h);
  for (int level = 0; level < COLL_LEVELS; level++)
    if (levels >> level & 1) h->level[h->groups++] = (coll_level)level;
  h->groups++;
  for (bool leads = true; leads && h->mine < h->groups; h->mine++) {
    coll_group *g = &h->group[h->mine];
    int *member = coll_keep(c, sizeof(int) * (size_t)most_members(c, h, h->mine));
    coll_sub(c, h->mine + 1, member, members_of(c, h, h->mine, member), &g->ctx);
    leads = g->ctx.rank == 0;
    h->leads_all = leads && h->mine == h->groups - 1;
  }
  return h;
}

int coll_hierarchy_source(const coll_ctx *c, const coll_hierarchy *h, int l, int root) {
  if (l < h->groups - 1) {
    const int *group_of = c->levels[h->level[l]].group_of;
    if (group_of[root] != group_of[c->rank]) return 0;
  }
  const coll_grouping *below = l ? &c->levels[h->level[l - 1]] : NULL;
  if (below && l == h->groups - 1) return below->group_of[root]; /* groups stand in the order of their leaders */
  int on_its_side = below ? leader_of(below, root) : root, i = 0;
  while (h->group[l].ctx.world[i] != on_its_side) i++;
  return i;
}

const char *coll_hierarchy_ordered(const coll_args *a, long levels) {
  for (int level = 0; level < COLL_LEVELS; level++) {
    if (!(levels >> level & 1)) continue;
    /* Consecutive ranks: whoever shares a unit with an earlier rank shares it with the one before, too. */
    coll_grouping g;
    coll_grouping_make(&g, (coll_level)level, a->size, a->place);
    bool fine = true;
    for (int r = 1; r < a->size; r++) fine &= g.group_of[r] >= g.group_of[r - 1];
    coll_grouping_free(&g);
    if (!fine) return "an operator that does not commute needs groups of consecutive ranks; place ranks in blocks";
  }
  return NULL;
}

void coll_hierarchy_bcast(coll_ctx *c, const coll_args *a, bool n_ary, int k, bool together) {
  if (!a->count) return;
  coll_hierarchy *h = a->prepared;
  coll_tree_shape shape = n_ary ? COLL_TREE_N_ARY : COLL_TREE_KNOMIAL;
  coll_tree tree[COLL_LEVELS + 1];
  int from = -1, children = 0;
  for (int l = 0; l < h->mine; l++) {
    coll_ctx *g = &h->group[l].ctx;
    tree[l].child = coll_keep(c, sizeof(int) * (size_t)coll_tree_fanout(shape, k, g->size));
    coll_tree_make(&tree[l], shape, k, g->size, coll_hierarchy_source(c, h, l, a->root), g->rank);
    if (tree[l].parent >= 0) from = l; /* in all its other groups it is the source */
    children += tree[l].children;
  }
  if (from >= 0) coll_recv(&h->group[from].ctx, a->out, a->count, tree[from].parent);

  coll_req *sent = coll_keep(c, sizeof(coll_req) * (size_t)children);
  int start = from < 0 ? 0 : from, k_sent = 0;
  for (int i = 0; i < h->mine; i++) {
    /* Outermost first; or up from where the data came, then down. */
    int l = together ? h->mine - 1 - i : start + i < h->mine ? start + i : h->mine - 1 - i;
    for (int j = 0; j < tree[l].children; j++)
      sent[k_sent++] = coll_isend(&h->group[l].ctx, a->out, a->count, tree[l].child[j]);
    if (together) continue;
    coll_waitall(c, k_sent, sent);
    k_sent = 0;
  }
  coll_waitall(c, k_sent, sent);
}
