/* The broadcast of lab 9: a flat tree for small vectors, a binary tree in segments for middle ones, a chain for large ones. */
#include "collscope.h"
#include "patterns/segment.h"

/* The data go from parent (-1: none) to n children, in segments, the next one being received while the last is sent. */
static void pass_on(coll_ctx *c, const coll_args *a, int parent, const int *child, int n, size_t bytes) {
  size_t each = coll_segment(a->count, a->elem, bytes), segments = coll_segments(a->count, each);
  coll_req *sent = coll_keep(c, sizeof *sent * segments * (size_t)n + 1), next = 0;
  int k = 0;
  if (parent >= 0) next = coll_irecv(c, a->out, segments > 1 ? each : a->count, parent);
  for (size_t s = 0; s < segments; s++) {
    size_t begin = s * each, length = s < segments - 1 ? each : a->count - begin;
    if (parent >= 0) {
      coll_req now = next;
      if (s + 1 < segments) {
        size_t after = begin + each, left = s + 2 < segments ? each : a->count - after;
        next = coll_irecv(c, coll_at(c, a->out, after), left, parent);
      }
      coll_wait(c, &now);
    }
    for (int i = 0; i < n; i++) sent[k++] = coll_isend(c, coll_at(c, a->out, begin), length, child[i]);
  }
  coll_waitall(c, k, sent);
}

static void best(coll_ctx *c, const coll_args *a) {
  if (a->count == 0 || c->size == 1) return;
  int p = c->size, v = (c->rank - a->root + p) % p, n = 0;
  int *child = coll_keep(c, sizeof *child * (size_t)p);
  size_t bytes = a->count * a->elem;
  if (bytes <= 4096) {
    for (int u = 1; v == 0 && u < p; u++) child[n++] = (u + a->root) % p;
    pass_on(c, a, v ? a->root : -1, child, n, 0);
  } else if (bytes <= 100000) {
    for (int u = 2 * v + 1; u <= 2 * v + 2 && u < p; u++) child[n++] = (u + a->root) % p;
    pass_on(c, a, v ? ((v - 1) / 2 + a->root) % p : -1, child, n, bytes <= 40000 ? 2048 : 4096);
  } else {
    if (v + 1 < p) child[n++] = (v + 1 + a->root) % p;
    pass_on(c, a, v ? (v - 1 + a->root) % p : -1, child, n, bytes <= 600000 ? 1024 : 4096);
  }
}

const coll_alg bcast_my_best = {
  .key = "bcast/my_best",
  .collective = COLL_BCAST,
  .summary = "the best that I have found",
  .flags = COLL_PLACES,
  .ports = COLL_PORTS_MANY,
  .run = best,
};
