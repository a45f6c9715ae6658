/* Symbolic memory: a buffer is a sorted list of runs, each of which is one line of coordinates from one set of ranks.
 * A gathered vector is a single run, however it came together. */
#include "prove/proof/memory.h"

#include <stdlib.h>

#include "core/schedule/array.h"

void memory_set(memory *m, uint64_t size) {
  if (m->front) m->run -= m->front;
  m->front = 0;
  RESERVE(m->run, m->cap, 4);
  m->size = size;
  m->n = size ? 1 : 0;
  m->hint = 0;
  m->run[0] = (run){ 0, 0, 0 };
}

uint32_t memory_search(memory *m, uint64_t at) {
  uint32_t lo = 0, hi = m->n;
  while (hi - lo > 1) {
    uint32_t mid = (lo + hi) / 2;
    if (m->run[mid].at <= at) lo = mid;
    else hi = mid;
  }
  return m->hint = lo;
}

static bool same_line(const run *a, const piece *b, uint64_t at) {
  return a->set == b->set && a->delta == b->coord - at;
}

void memory_free(memory *m) {
  if (m->run) free(m->run - m->front);
}

/* Room for so many more, in front of the first or behind the last. */
static void grow(memory *m, uint32_t more, bool in_front) {
  run *all = m->run - m->front;
  if (m->cap / 2 < m->n + more) RESERVE(all, m->cap, 2 * ((size_t)m->n + more));
  uint32_t front = in_front || m->front ? (m->cap - m->n) / 2 : 0;
  memmove(all + front, all + m->front, sizeof *all * m->n);
  m->front = front;
  m->run = all + front;
}

/* In place of `had` runs from lo on there is room for `want`. The shorter side moves: long vectors are filled from their beginning or from
 * their end. */
static void make_room(memory *m, uint32_t lo, uint32_t had, uint32_t want) {
  uint32_t behind = m->n - lo - had;
  bool in_front = lo < behind;
  if (want > had && (in_front ? m->front : m->cap - m->front - m->n) < want - had) grow(m, want - had, in_front);
  if (in_front) {
    run *first = m->run + ((ptrdiff_t)had - want);
    memmove(first, m->run, sizeof *first * lo);
    m->run = first;
    m->front = m->front + had - want;
  } else memmove(m->run + lo + want, m->run + lo + had, sizeof *m->run * behind);
  m->n = m->n + want - had;
}

/* Overwrites bytes off … off+len with the pieces, melting what fits together. */
void memory_assign(memory *m, uint64_t off, uint64_t len, const piece *q, size_t n) {
  uint32_t lo = memory_find(m, off), hi = lo;
  uint64_t end = off + len;
  while (run_end(m, hi) < end) hi++;
  if (n == 1 && lo == hi && same_line(&m->run[lo], q, off)) return;
  run head = m->run[lo], tail = m->run[hi];
  bool keep_head = head.at<off, keep_tail = run_end(m, hi)> end;
  uint64_t begin = off;
  if (keep_head && same_line(&head, q, off)) {
    begin = head.at;
    keep_head = false;
  } else if (!keep_head && lo && same_line(&m->run[lo - 1], q, off)) begin = m->run[--lo].at;
  const piece *last = &q[n - 1];
  if (keep_tail && same_line(&tail, last, off + last->rel)) keep_tail = false;
  else if (!keep_tail && hi + 1 < m->n && same_line(&m->run[hi + 1], last, off + last->rel)) hi++;
  uint32_t had = hi - lo + 1, want = (uint32_t)n + keep_head + keep_tail;
  if (want != had) make_room(m, lo, had, want);
  run *w = &m->run[lo];
  if (keep_head) *w++ = head;
  for (size_t i = 0; i < n; i++) {
    uint64_t at = off + q[i].rel;
    *w++ = (run){ i ? at : begin, q[i].coord - at, q[i].set };
  }
  if (keep_tail) *w = (run){ end, tail.delta, tail.set };
  m->hint = lo;
}

size_t memory_read(memory *m, uint64_t off, uint64_t len, piece **list, size_t *cap) {
  uint32_t i = memory_find(m, off);
  uint64_t at = off, end = off + len;
  size_t n = 0;
  for (;; i++) {
    const run *w = &m->run[i];
    if (!w->set) return 0;
    if (n == *cap) RESERVE(*list, *cap, n + 16);
    (*list)[n++] = (piece){ at - off, at + w->delta, w->set };
    at = run_end(m, i);
    if (at >= end) return n;
  }
}

uint64_t memory_unwritten(memory *m, uint64_t off) {
  for (uint32_t i = memory_find(m, off); i < m->n; i++)
    if (!m->run[i].set) return m->run[i].at > off ? m->run[i].at : off;
  return off;
}
