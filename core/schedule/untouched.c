#include "core/schedule/untouched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(untouched *u, size_t n) {
  if (n <= u->cap) return;
  u->cap = 2 * n + 16;
  u->range = realloc(u->range, sizeof *u->range * u->cap);
  if (u->range) return;
  fprintf(stderr, "collscope: out of memory (%zu bytes)\n", sizeof *u->range * u->cap);
  abort();
}

/* The first range that ends behind this place. */
static size_t first_behind(const untouched *u, uint64_t place) {
  size_t low = 0, high = u->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (u->range[middle].end > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* `kept` ranges take the place of those from `at` up to, without, `to`. */
static void replace(untouched *u, size_t at, size_t to, const untouched_range *kept, size_t n) {
  make_room(u, u->n + n);
  memmove(u->range + at + n, u->range + to, sizeof *u->range * (u->n - to));
  memcpy(u->range + at, kept, sizeof *kept * n);
  u->n += n - (to - at);
}

void untouched_add(untouched *u, uint64_t begin, uint64_t bytes) {
  if (!bytes) return;
  size_t at = first_behind(u, begin);
  replace(u, at, at, &(untouched_range){ begin, begin + bytes }, 1);
}

uint64_t untouched_write(untouched *u, uint64_t begin, uint64_t bytes) {
  if (!bytes) return 0;
  uint64_t end = begin + bytes, first = 0;
  size_t at = first_behind(u, begin), to = at, n = 0;
  untouched_range kept[2];
  for (; to < u->n && u->range[to].begin < end; to++) {
    untouched_range r = u->range[to];
    first += (r.end < end ? r.end : end) - (r.begin > begin ? r.begin : begin);
    if (r.begin < begin) kept[n++] = (untouched_range){ r.begin, begin };
    if (r.end > end) kept[n++] = (untouched_range){ end, r.end };
  }
  if (to > at) replace(u, at, to, kept, n);
  return first;
}

void untouched_free(untouched *u) {
  free(u->range);
  *u = (untouched){ 0 };
}
