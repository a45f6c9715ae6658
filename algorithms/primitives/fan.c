#include "primitives/fan.h"

#include "patterns/king.h"
#include "primitives/tree_here.h"

/* The flags of a member, one for each signal it can give in a call. */
enum { FLAG_IN, FLAG_OUT, FLAG_EXTRA, FLAG_RELEASE, FLAG_STEPS };

void coll_group_share(coll_group *g, int k) {
  for (int i = 1; i < g->ctx.size; i++)
    if (g->ctx.place[i].node != g->ctx.place[0].node) return;
  if (g->ctx.size > 1) g->seg = coll_seg_open(&g->ctx, 0, FLAG_STEPS + coll_king_make(g->ctx.size, k).steps);
}

/* Tells some members that this rank is here, waits for others. In shared memory one flag tells all. */
static void meet(coll_group *g, int flag, const int *to, int tos, const int *from, int froms) {
  coll_ctx *c = &g->ctx;
  if (g->seg) {
    if (tos) coll_publish(c, g->seg, c->rank, flag, g->call);
    for (int i = 0; i < froms; i++) coll_await(c, g->seg, from[i], flag, g->call);
    return;
  }
  coll_req *reqs = coll_keep(c, sizeof(coll_req) * (size_t)(tos + froms));
  for (int i = 0; i < froms; i++) reqs[i] = coll_irecv(c, NULL, 0, from[i]);
  for (int i = 0; i < tos; i++) reqs[froms + i] = coll_isend(c, NULL, 0, to[i]);
  coll_waitall(c, tos + froms, reqs);
}

void coll_fan_in(coll_group *g, int k) {
  if (g->ctx.size < 2) return;
  coll_tree t = coll_tree_here(&g->ctx, COLL_TREE_KNOMIAL, k, 0);
  meet(g, FLAG_IN, NULL, 0, t.child, t.children);
  meet(g, FLAG_IN, &t.parent, t.parent >= 0, NULL, 0);
}

void coll_fan_out(coll_group *g, int k) {
  if (g->ctx.size < 2) return;
  coll_tree t = coll_tree_here(&g->ctx, COLL_TREE_KNOMIAL, k, 0);
  meet(g, FLAG_OUT, NULL, 0, &t.parent, t.parent >= 0);
  meet(g, FLAG_OUT, t.child, t.children, NULL, 0);
}

void coll_recursive_king(coll_group *g, int k) {
  coll_ctx *c = &g->ctx;
  coll_king r = coll_king_make(c->size, k);
  int proxy = c->rank % r.power, extras = 0, *to = coll_keep(c, sizeof(int) * (size_t)(2 * r.k)), *from = to + r.k;
  if (c->rank >= r.power) {
    meet(g, FLAG_EXTRA, &proxy, 1, NULL, 0);
    meet(g, FLAG_RELEASE, NULL, 0, &proxy, 1);
    return;
  }
  for (int e = c->rank + r.power; e < c->size; e += r.power) to[extras++] = e;
  meet(g, FLAG_EXTRA, NULL, 0, to, extras);
  for (int step = 0, distance = 1; step < r.steps; step++, distance *= r.k) {
    for (int j = 1; j < r.k; j++) {
      to[j - 1] = coll_king_partner(r, c->rank, distance, j);
      from[j - 1] = coll_king_partner(r, c->rank, distance, -j);
    }
    meet(g, FLAG_STEPS + step, to, r.k - 1, from, r.k - 1);
  }
  extras = 0;
  for (int e = c->rank + r.power; e < c->size; e += r.power) to[extras++] = e;
  meet(g, FLAG_RELEASE, to, extras, NULL, 0);
}
