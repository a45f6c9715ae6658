#include "core/schedule/byte_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(byte_set *u, size_t n) {
  if (n <= u->cap) return;
  u->cap = 2 * n + 16;
  u->range = realloc(u->range, sizeof *u->range * u->cap);
  if (u->range) return;
  fprintf(stderr, "collscope: out of memory (%zu bytes)\n", sizeof *u->range * u->cap);
  abort();
}

/* The first range that ends behind this place. */
static size_t first_behind(const byte_set *u, uint64_t place) {
  size_t low = 0, high = u->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (u->range[middle].end > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* `kept` ranges take the place of those from `at` up to, without, `to`. */
static void replace(byte_set *u, size_t at, size_t to, const byte_range *kept, size_t n) {
  make_room(u, u->n + n);
  memmove(u->range + at + n, u->range + to, sizeof *u->range * (u->n - to));
  memcpy(u->range + at, kept, sizeof *kept * n);
  u->n += n - (to - at);
}

uint64_t byte_set_remove(byte_set *u, uint64_t begin, uint64_t bytes) {
  if (!bytes) return 0;
  uint64_t end = begin + bytes, removed = 0;
  size_t at = first_behind(u, begin), to = at, n = 0;
  byte_range kept[2];
  for (; to < u->n && u->range[to].begin < end; to++) {
    byte_range r = u->range[to];
    removed += (r.end < end ? r.end : end) - (r.begin > begin ? r.begin : begin);
    if (r.begin < begin) kept[n++] = (byte_range){ r.begin, begin };
    if (r.end > end) kept[n++] = (byte_range){ end, r.end };
  }
  if (to > at) replace(u, at, to, kept, n);
  return removed;
}

void byte_set_add(byte_set *u, uint64_t begin, uint64_t bytes) {
  if (!bytes) return;
  byte_set_remove(u, begin, bytes);
  size_t at = first_behind(u, begin);
  if (at && u->range[at - 1].end == begin) u->range[at - 1].end = begin + bytes;
  else replace(u, at, at, &(byte_range){ begin, begin + bytes }, 1);
}

void byte_set_free(byte_set *u) {
  free(u->range);
  *u = (byte_set){ 0 };
}
