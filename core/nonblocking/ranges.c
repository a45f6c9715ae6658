/* Which nodes touched which bytes of a buffer last. Ranges are split exactly: whoever waited for more than it must could deadlock.
 *
 * Where many wait for many, a join stands between them. Those that it waits for are over in the blocking text before the node that asks
 * begins, and so before all that come later: to wait for the join instead adds no order that the text does not have. */
#include <stdlib.h>
#include <string.h>

#include "core/nonblocking/builder.h"
#include "core/schedule/array.h"

enum { JOIN_FROM = 8 };

/* The first range that ends behind this place. */
static size_t first_behind(const ranges *r, uint64_t place) {
  size_t low = 0, high = r->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (r->at[middle].end > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

static void insert(ranges *r, size_t at, range_of_bytes one) {
  RESERVE(r->at, r->cap, r->n + 1);
  memmove(r->at + at + 1, r->at + at, sizeof *r->at * (r->n - at));
  r->at[at] = one;
  r->n++;
}

/* Cuts the range that this place lies in, if there is one. Returns the first range from here on. */
static size_t cut(ranges *r, uint64_t place) {
  size_t i = first_behind(r, place);
  if (i == r->n || r->at[i].begin >= place) return i;
  insert(r, i, r->at[i]); /* both parts have the same readers: lists only grow at their heads */
  r->at[i].end = r->at[i + 1].begin = place;
  return i + 1;
}

/* What nobody has touched between two places becomes ranges, too. Returns where the last ends. */
static size_t fill(ranges *r, size_t from, uint64_t begin, uint64_t end) {
  size_t i = from;
  for (uint64_t place = begin; place < end; place = r->at[i++].end) {
    if (i < r->n && r->at[i].begin <= place) continue;
    uint64_t to = i < r->n && r->at[i].begin < end ? r->at[i].begin : end;
    insert(r, i, (range_of_bytes){ place, to, NODE_NOBODY, NODE_NOBODY });
  }
  return i;
}

static void replace(ranges *r, size_t from, size_t to, range_of_bytes one) {
  if (from == to) {
    insert(r, from, one);
    return;
  }
  r->at[from] = one;
  memmove(r->at + from + 1, r->at + to, sizeof *r->at * (r->n - to));
  r->n -= to - from - 1;
}

static void read_by(ranges *r, range_of_bytes *one, uint32_t node) {
  RESERVE(r->cell, r->cell_cap, r->cells + 1);
  r->cell[r->cells] = (range_reader){ node, one->readers };
  one->readers = (uint32_t)r->cells++;
}

/* From many writers on, they are joined, and ranges that nobody has read since then become one. */
static void join_writers(ranges *r, builder *b, size_t from, size_t to, needs *writers) {
  uint32_t join = builder_join(b, writers);
  bool whole = true;
  for (size_t i = from; i < to; i++) {
    r->at[i].writer = join;
    whole &= r->at[i].readers == NODE_NOBODY;
  }
  if (whole) replace(r, from, to, (range_of_bytes){ r->at[from].begin, r->at[to - 1].end, join, NODE_NOBODY });
  needs_add(writers, join);
}

static void ask_to_read(ranges *r, builder *b, uint64_t begin, uint64_t end, needs *who) {
  needs writers = { 0 };
  size_t from = cut(r, begin);
  cut(r, end);
  size_t to = fill(r, from, begin, end);
  bool written = true;
  for (size_t i = from; i < to; i++) {
    uint32_t w = r->at[i].writer;
    written &= w != NODE_NOBODY;
    if (w != NODE_NOBODY && (!writers.n || writers.node[writers.n - 1] != w)) needs_add(&writers, w);
  }
  if (writers.n >= JOIN_FROM && written) join_writers(r, b, from, to, &writers);
  for (size_t i = 0; i < writers.n; i++) needs_add(who, writers.node[i]);
  free(writers.node);
}

/* Many readers are joined, before what they have read is cut. */
static void join_readers(ranges *r, builder *b, uint64_t begin, uint64_t end) {
  needs readers = { 0 };
  for (size_t i = first_behind(r, begin); i < r->n && r->at[i].begin < end; i++) {
    for (uint32_t c = r->at[i].readers; c != NODE_NOBODY; c = r->cell[c].next) needs_add(&readers, r->cell[c].node);
    if (readers.n >= JOIN_FROM) {
      r->at[i].readers = NODE_NOBODY;
      read_by(r, &r->at[i], builder_join(b, &readers));
    }
    readers.n = 0;
  }
  free(readers.node);
}

/* Readers waited for the writer already. */
static void ask_to_write(ranges *r, builder *b, uint64_t begin, uint64_t end, needs *who) {
  join_readers(r, b, begin, end);
  size_t from = cut(r, begin), to = cut(r, end);
  for (size_t i = from; i < to; i++) {
    const range_of_bytes *one = &r->at[i];
    for (uint32_t c = one->readers; c != NODE_NOBODY; c = r->cell[c].next) needs_add(who, r->cell[c].node);
    if (one->readers == NODE_NOBODY && one->writer != NODE_NOBODY) needs_add(who, one->writer);
  }
}

void ranges_ask(ranges *r, builder *b, uint64_t begin, uint64_t bytes, bool writes, needs *who) {
  if (!bytes) return;
  if (writes) ask_to_write(r, b, begin, begin + bytes, who);
  else ask_to_read(r, b, begin, begin + bytes, who);
}

void ranges_touched(ranges *r, uint64_t begin, uint64_t bytes, bool writes, uint32_t node) {
  if (!bytes) return;
  uint64_t end = begin + bytes;
  size_t from = cut(r, begin), to = cut(r, end);
  if (writes) replace(r, from, to, (range_of_bytes){ begin, end, node, NODE_NOBODY });
  else
    for (size_t i = from; i < to; i++) read_by(r, &r->at[i], node);
}

void ranges_free(ranges *r) {
  free(r->at);
  free(r->cell);
  *r = (ranges){ 0 };
}
