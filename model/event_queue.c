#include "model/event_queue.h"

#include <stdlib.h>

#include "core/schedule/array.h"
#include "model/nearly_sorted.h"

void event_queue_clear(event_queue *m) {
  m->due_n = m->idle_n = m->left_n = 0;
  m->moments = 0;
  memset(m->recent, 0xff, sizeof m->recent);
}

void event_queue_free(event_queue *m) {
  for (size_t i = 0; i < m->moment_cap; i++) free(m->moment[i].item);
  free(m->moment);
  free(m->idle);
  free(m->due);
}

static void due_up(event_queue *m, size_t i, due_moment one) {
  for (; i && one.time < m->due[(i - 1) / 2].time; i = (i - 1) / 2) m->due[i] = m->due[(i - 1) / 2];
  m->due[i] = one;
}

static int32_t due_pop(event_queue *m) {
  int32_t first = m->due[0].moment;
  due_moment last = m->due[--m->due_n];
  size_t i = 0, child;
  for (; (child = 2 * i + 1) < m->due_n; i = child) {
    if (child + 1 < m->due_n && m->due[child + 1].time < m->due[child].time) child++;
    if (last.time <= m->due[child].time) break;
    m->due[i] = m->due[child];
  }
  if (m->due_n) m->due[i] = last;
  PUSH(m->idle, m->idle_n, m->idle_cap, first);
  return first;
}

static int32_t moment_make(event_queue *m, double time) {
  int32_t id = m->idle_n ? m->idle[--m->idle_n] : (int32_t)m->moments++;
  RESERVE_ZEROED(m->moment, m->moment_cap, m->moments);
  m->moment[id].time = time;
  m->moment[id].n = m->moment[id].left = 0;
  RESERVE(m->due, m->due_cap, m->due_n + 1);
  due_up(m, m->due_n++, (due_moment){ time, id });
  return id;
}

/* Takes out the moments whose items have all been moved: flows that share a link are moved whenever one of them ends. */
static void forget_left(event_queue *m) {
  size_t kept = 0;
  for (size_t i = 0; i < m->due_n; i++) {
    due_moment one = m->due[i];
    int32_t id = one.moment;
    if (m->moment[id].left) {
      due_up(m, kept++, one);
      continue;
    }
    m->moment[id].n = 0;
    PUSH(m->idle, m->idle_n, m->idle_cap, id);
  }
  m->due_n = kept;
  m->left_n = 0;
}

int32_t event_queue_add(event_queue *m, uint64_t item, double time) {
  union {
    double d;
    uint64_t u;
  } bits = { time };
  if (m->left_n > RECENT && 2 * m->left_n > m->due_n) forget_left(m);
  int32_t *recent = &m->recent[bits.u * 0x9e3779b97f4a7c15u >> (64 - RECENT_BITS)];
  if (*recent < 0 || !m->moment[*recent].n || m->moment[*recent].time != time) *recent = moment_make(m, time);
  moment *q = &m->moment[*recent];
  if (q->n && !q->left) m->left_n--;
  PUSH(q->item, q->n, q->cap, item);
  q->left++;
  return *recent;
}

bool event_queue_next(event_queue *m, double *time) {
  while (m->due_n && !m->moment[m->due[0].moment].left) {
    m->moment[due_pop(m)].n = 0;
    m->left_n--;
  }
  if (m->due_n) *time = m->due[0].time;
  return m->due_n;
}

moment *event_queue_take(event_queue *m) {
  moment *q = &m->moment[due_pop(m)];
  while (m->due_n && m->due[0].time == q->time) {
    moment *w = &m->moment[due_pop(m)];
    if (!w->left) m->left_n--;
    for (size_t i = 0; i < w->n; i++) PUSH(q->item, q->n, q->cap, w->item[i]);
    w->n = 0;
  }
  sort_nearly_sorted(q->item, q->n);
  return q;
}
