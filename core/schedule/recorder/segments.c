/* Shared segments in a record: which ones belong together, and what is done to them. */
#include <string.h>

#include "core/schedule/array.h"
#include "core/schedule/recorder/recorder.h"

static int group_find(recorder *s, const struct coll_seg_state *g) {
  const rec_segment *w = &g->seg;
  int n = s->record.segment_groups;
  for (int i = 0; i < n; i++) {
    group *h = &s->groups[i];
    if (h->label != g->label || h->nth != g->nth || h->members != w->members ||
        memcmp(h->world, w->world, sizeof(int) * (size_t)w->members))
      continue;
    if (h->bytes != w->bytes || h->flags != w->flags)
      rec_fail(s, "opens a segment of %zu bytes and %d flags where rank %d has %zu bytes and %d flags", w->bytes,
               w->flags, h->first_rank, h->bytes, h->flags);
    return i;
  }
  RESERVE(s->groups, s->group_cap, n + 1);
  s->groups[n] = (group){ .label = g->label,
                          .members = w->members,
                          .nth = g->nth,
                          .flags = w->flags,
                          .bytes = w->bytes,
                          .world = w->world,
                          .first_rank = s->rank };
  s->record.segment_groups++;
  return n;
}

coll_seg rec_seg_open(coll_ctx *c, size_t n, int flags) {
  recorder *s = rec_of(c);
  record *r = &s->record;
  if (!(s->alg->flags & COLL_SEGMENTS)) rec_fail(s, "seg_open, but the descriptor does not say COLL_SEGMENTS");
  if (!s->preparing) rec_fail(s, "seg_open in run(); segments are opened in prepare()");
  int k = r->segments[s->rank];
  if (k == SEGMENTS_MAX) rec_fail(s, "opens more than %d segments", SEGMENTS_MAX);
  if (flags < 0) rec_fail(s, "seg_open with %d flags", flags);
  for (int i = 1; i < c->size; i++)
    if (c->place[i].node != c->place[0].node) rec_fail(s, "seg_open in a group that spans nodes");
  int *world = pool_take(&s->segments, sizeof *world * (size_t)c->size);
  for (int i = 0; i < c->size; i++) world[i] = c->world ? c->world[i] : i;
  coll_seg g = pool_take(&s->segments, sizeof *g);
  *g = (struct coll_seg_state){ .seg = { .members = c->size, .bytes = n * c->elem, .flags = flags, .world = world },
                                .index = k,
                                .label = c->label };
  /* The group's n-th segment here is the group's n-th segment everywhere. */
  for (int i = 0; i < k; i++) {
    const group *h = &s->groups[r->segment[s->rank][i].group];
    g->nth += h->label == g->label && h->members == c->size &&
              !memcmp(h->world, world, sizeof *world * (size_t)c->size);
  }
  g->seg.group = group_find(s, g);
  RESERVE(r->segment[s->rank], s->segment_cap[s->rank], k + 1);
  r->segment[s->rank][k] = g->seg;
  r->segments[s->rank] = k + 1;
  return g;
}

/* The home's rank in the outermost group. */
static int home_of(recorder *s, const coll_ctx *c, const struct coll_seg_state *g, int home, const char *who) {
  int world = rec_peer_of(s, c, home, who);
  if (home < g->seg.members && g->seg.world[home] == world) return world;
  for (int i = 0; i < g->seg.members; i++)
    if (g->seg.world[i] == world) return world;
  rec_fail(s, "%s names rank %d, which is not a member of the segment", who, world);
}

static void part_range(recorder *s, const struct coll_seg_state *g, size_t off, size_t bytes, const char *who,
                       const char *does) {
  if (bytes > g->seg.bytes || off > g->seg.bytes - bytes)
    rec_fail(s, "%s %s %zu bytes past the end of its part of segment %d (bytes %zu to %zu of %zu)", who, does,
             off + bytes - g->seg.bytes, g->index, off, off + bytes, g->seg.bytes);
}

void *rec_seg_part(coll_ctx *c, coll_seg g) {
  recorder *s = rec_of(c);
  if (g->seg.bytes > PART_BYTES)
    rec_fail(s, "seg_part of %zu bytes: a part that is used as a buffer has at most %zu", g->seg.bytes, PART_BYTES);
  return s->base + REC_SEGMENT * BUFFER_BYTES + (size_t)g->index * PART_BYTES;
}

void rec_seg_write(coll_ctx *c, coll_seg g, int home, size_t off, const void *src, size_t n) {
  recorder *s = rec_of(c);
  if (!n) return;
  size_t bytes = rec_bytes_of(s, c, n, "seg_write");
  spot from = rec_resolve(s, src, bytes, "seg_write", false);
  int peer = home_of(s, c, g, home, "seg_write");
  part_range(s, g, off * c->elem, bytes, "seg_write", "writes");
  *rec_append(s) = (rec_op){ .kind = REC_WRITE,
                             .buf = from.buf,
                             .buf2 = (uint8_t)(REC_SEGMENT + g->index),
                             .peer = peer,
                             .off = from.off,
                             .off2 = off * c->elem,
                             .bytes = bytes };
}

void rec_seg_read(coll_ctx *c, coll_seg g, int home, size_t off, void *dst, size_t n) {
  recorder *s = rec_of(c);
  if (!n) return;
  size_t bytes = rec_bytes_of(s, c, n, "seg_read");
  spot to = rec_resolve(s, dst, bytes, "seg_read", true);
  int peer = home_of(s, c, g, home, "seg_read");
  part_range(s, g, off * c->elem, bytes, "seg_read", "reads");
  *rec_append(s) = (rec_op){ .kind = REC_READ,
                             .buf = (uint8_t)(REC_SEGMENT + g->index),
                             .buf2 = to.buf,
                             .peer = peer,
                             .off = off * c->elem,
                             .off2 = to.off,
                             .bytes = bytes };
}

static void flag_op(recorder *s, coll_ctx *c, rec_kind kind, coll_seg g, int home, int flag, uint64_t value,
                    const char *who) {
  int peer = home_of(s, c, g, home, who);
  if (flag < 0 || flag >= g->seg.flags) rec_fail(s, "%s names flag %d of %d", who, flag, g->seg.flags);
  *rec_append(s) = (rec_op){
    .kind = (uint8_t)kind, .buf = (uint8_t)(REC_SEGMENT + g->index), .peer = peer, .off = (uint64_t)flag, .off2 = value
  };
}

void rec_publish(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value) {
  flag_op(rec_of(c), c, REC_PUBLISH, g, home, flag, value, "publish");
}
void rec_await(coll_ctx *c, coll_seg g, int home, int flag, uint64_t value) {
  flag_op(rec_of(c), c, REC_AWAIT, g, home, flag, value, "await");
}
