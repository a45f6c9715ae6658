#include "primitives/leader_buffer.h"

enum { WRITTEN, READY, FLAGS }; /* of a part: its rank's block is there; the leader's result is there */

void coll_leader_buffer_open(coll_group *g, size_t m, size_t n) {
  if (g->ctx.size > 1) g->seg = coll_seg_open(&g->ctx, (size_t)g->ctx.size * m + n, FLAGS);
}

void coll_leader_buffer_collect(coll_group *g, const void *block, void *all, size_t m) {
  coll_ctx *c = &g->ctx;
  if (!g->seg) return;
  coll_group_enter(g);
  if (c->rank) {
    coll_seg_write(c, g->seg, 0, (size_t)c->rank * m, block, m);
    coll_publish(c, g->seg, c->rank, WRITTEN, g->call);
    return;
  }
  for (int i = 1; i < c->size; i++) coll_await(c, g->seg, i, WRITTEN, g->call);
  coll_seg_read(c, g->seg, 0, m, coll_at(c, all, m), (size_t)(c->size - 1) * m);
}

void coll_leader_buffer_distribute(coll_group *g, void *data, size_t n, size_t m) {
  coll_ctx *c = &g->ctx;
  size_t behind = (size_t)c->size * m;
  if (!g->seg) return;
  if (c->rank == 0) {
    coll_seg_write(c, g->seg, 0, behind, data, n);
    coll_publish(c, g->seg, 0, READY, g->call);
  } else {
    coll_await(c, g->seg, 0, READY, g->call);
    coll_seg_read(c, g->seg, 0, behind, data, n);
  }
}

void coll_leader_result_open(coll_group *g, size_t n) {
  if (g->ctx.size > 1) g->seg = coll_seg_open(&g->ctx, 2 * n, FLAGS);
}

/* Where in the part the result of this call begins. */
static size_t result_at(const coll_group *g, size_t n) { return g->call % 2 * n; }

void *coll_leader_result_collect(coll_group *g, const void *block, size_t n, size_t at, size_t m) {
  coll_ctx *c = &g->ctx;
  if (!g->seg) return NULL;
  coll_group_enter(g);
  if (c->rank) {
    coll_seg_write(c, g->seg, 0, result_at(g, n) + at + (size_t)c->rank * m, block, m);
    coll_publish(c, g->seg, c->rank, WRITTEN, g->call);
    return NULL;
  }
  void *result = coll_at(c, coll_seg_part(c, g->seg), result_at(g, n));
  coll_copy(c, coll_at(c, result, at), block, m);
  for (int i = 1; i < c->size; i++) coll_await(c, g->seg, i, WRITTEN, g->call);
  return result;
}

void coll_leader_result_fetch(coll_group *g, void *data, size_t n) {
  coll_ctx *c = &g->ctx;
  if (!g->seg) return;
  if (c->rank == 0) coll_publish(c, g->seg, 0, READY, g->call);
  else coll_await(c, g->seg, 0, READY, g->call);
  coll_seg_read(c, g->seg, 0, result_at(g, n), data, n);
}
