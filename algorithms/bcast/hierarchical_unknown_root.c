/* bcast/hierarchical_unknown_root[levels,k]
 * Idea     only the root knows that it is the root. All others listen to all their groups at once; whom a rank passes the data
 *          on to follows from who sent it. Trees grow from wherever the data enters a group: its members are cut into k
 *          blocks, one member of each block gets the data, and so on within each block
 * Rounds   the deepest way from the root up to the top and down to a leaf
 * Cost     no closed form: depends on who sits where
 * Needs    any p, any root, any count
 * Scratch  none
 * Source   Cheetah (unknown-root hierarchical broadcast)
 *
 *          one group, k = 2, root 1; blocks {0 1} {2 3 | 4}, first cut {0 1 2 3} {4}
 *          rank 0   rank 1   rank 2   rank 3   rank 4
 *  start   .        x        .        .        .
 *  1       x        x        .        x        x             1 → 4, 1 → 3, 1 → 0
 *  2       x        x        x        x        x             3 → 2, as the data came from the other half of {0 1 2 3}
 */
#include "primitives/hierarchy.h"

/* The reach of a member's sends: blocks of this length are cut further, from `unit` on. */
static long first_unit(int size, int k) {
  long unit = 1;
  while (unit * k < size) unit *= k;
  return unit;
}

/* Member `me` passes the data on within its block of k·unit members. */
static int pass_on(coll_ctx *c, const coll_args *a, const coll_ctx *g, long unit, int k, coll_req *sent) {
  int n = 0;
  for (; unit; unit /= k) {
    long first = g->rank / (k * unit) * (k * unit), offset = g->rank % unit;
    for (long at = first; at < first + k * unit && at < g->size; at += unit) {
      if (at == g->rank - offset) continue;
      /* The member at the same place in the block, or its last. */
      long to = at + offset < g->size ? at + offset : g->size - 1;
      sent[n++] = coll_isend(c, a->out, a->count, g->world[to]);
    }
  }
  return n;
}

static void *prepare(coll_ctx *c, const coll_args *a) { return coll_hierarchy_make(c, a->param[0]); }

/* Data travels in the context of all ranks: there one receive listens to every group. */
static void run(coll_ctx *c, const coll_args *a) {
  if (!a->count) return;
  coll_hierarchy *h = a->prepared;
  int k = (int)a->param[1], n = 0, room = 0;
  int source = c->rank == a->root ? c->rank : coll_recv_any(c, a->out, a->count);
  for (int l = 0; l < h->mine; l++)
    for (long unit = first_unit(h->group[l].ctx.size, k); unit; unit /= k) room += k - 1;
  coll_req *sent = coll_keep(c, sizeof(coll_req) * (size_t)room);
  for (int l = h->mine; l-- > 0;) {
    const coll_ctx *g = &h->group[l].ctx;
    long unit = first_unit(g->size, k);
    int from = 0;
    while (from < g->size && (source == c->rank || g->world[from] != source)) from++;
    /* A sender in this group has served the larger blocks: sender and receiver lie in different blocks of that length. */
    if (from < g->size) {
      while (from / unit == g->rank / unit) unit /= k;
      unit /= k;
    }
    n += pass_on(c, a, g, unit, k, sent + n);
  }
  coll_waitall(c, n, sent);
}

static const coll_param params[] = { COLL_LEVELS_PARAM, COLL_RADIX_PARAM, { .name = NULL } };

const coll_alg bcast_hierarchical_unknown_root = {
  .key = "bcast/hierarchical_unknown_root",
  .collective = COLL_BCAST,
  .summary = "every rank listens to all its groups, trees grow from where the data enters",
  .source = "Cheetah",
  .params = params,
  .flags = COLL_ANY_SOURCE | COLL_PLACES,
  .ports = COLL_PORTS_MANY,
  .prepare = prepare,
  .run = run,
};
