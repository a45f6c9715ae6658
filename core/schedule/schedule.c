#include "core/schedule/schedule.h"

#include <stdio.h>
#include <string.h>

const char *record_kind_name(int kind) {
  static const char *const names[] = { "send", "recv",      "isend",    "irecv",   "recv_any", "wait", "reduce",
                                       "copy", "seg_write", "seg_read", "publish", "await",    "mark", "calc" };
  return names[kind];
}

const char *record_buffer_name(int buf, char *text, size_t size) {
  static const char *const names[] = { "in", "out", "scratch" };
  if (buf < REC_SEGMENT) snprintf(text, size, "%s", names[buf]);
  else snprintf(text, size, "segment %d", buf - REC_SEGMENT);
  return text;
}

bool record_same(const record *a, const record *b) {
  if (a->collective != b->collective || a->args.size != b->args.size || a->calls != b->calls ||
      a->segment_groups != b->segment_groups)
    return false;
  for (int i = 0; i < a->args.size; i++) {
    const rec_rank *x = &a->rank[i], *y = &b->rank[i];
    if (x->n != y->n || x->scratch != y->scratch || a->segments[i] != b->segments[i] ||
        memcmp(x->start, y->start, sizeof *x->start * (size_t)(a->calls + 1)) ||
        (x->n && memcmp(x->op, y->op, sizeof *x->op * x->n)))
      return false;
    for (int k = 0; k < a->segments[i]; k++) {
      const rec_segment *g = &a->segment[i][k], *h = &b->segment[i][k];
      if (g->group != h->group || g->members != h->members || g->bytes != h->bytes || g->flags != h->flags ||
          memcmp(g->world, h->world, sizeof *g->world * (size_t)g->members))
        return false;
    }
  }
  return true;
}
