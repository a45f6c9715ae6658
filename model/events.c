#include "model/events.h"

#include <stdlib.h>

#include "core/schedule/array.h"

void events_clear(events *e, size_t ids) {
  RESERVE(e->where, e->where_cap, ids);
  if (ids) memset(e->where, 0xff, ids * sizeof *e->where);
  e->n = 0;
  e->order = 0;
}

void events_free(events *e) {
  free(e->heap);
  free(e->where);
}

static inline bool before(const event *a, const event *b) {
  return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void heap_set(events *e, size_t i, event v) {
  e->heap[i] = v;
  e->where[v.id] = (uint32_t)i;
}

static void heap_up(events *e, size_t i, event v) {
  while (i > 0 && before(&v, &e->heap[(i - 1) / 4])) {
    heap_set(e, i, e->heap[(i - 1) / 4]);
    i = (i - 1) / 4;
  }
  heap_set(e, i, v);
}

static void heap_down(events *e, size_t i, event v) {
  for (;;) {
    size_t child = 4 * i + 1, least = child, last = child + 4 < e->n ? child + 4 : e->n;
    if (child >= e->n) break;
    for (size_t k = child + 1; k < last; k++)
      if (before(&e->heap[k], &e->heap[least])) least = k;
    if (!before(&e->heap[least], &v)) break;
    heap_set(e, i, e->heap[least]);
    i = least;
  }
  heap_set(e, i, v);
}

void events_push(events *e, int32_t id, double time) {
  RESERVE(e->heap, e->cap, e->n + 1);
  event v = { time, e->order++, id };
  heap_up(e, e->n++, v);
}

event events_pop(events *e) {
  event top = e->heap[0];
  event last = e->heap[--e->n];
  if (e->n) heap_down(e, 0, last);
  e->where[top.id] = UINT32_MAX;
  return top;
}

void events_move(events *e, int32_t id, double time) {
  if (e->where[id] == UINT32_MAX) {
    events_push(e, id, time);
    return;
  }
  size_t i = e->where[id];
  event v = e->heap[i];
  bool up = time < v.time;
  v.time = time;
  if (up) heap_up(e, i, v);
  else heap_down(e, i, v);
}
