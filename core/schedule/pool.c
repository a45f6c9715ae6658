#include "core/schedule/pool.h"

#include <stdlib.h>

#include "core/schedule/array.h"

void *pool_take(pool *a, size_t bytes) {
  bytes = (bytes + 15) / 16 * 16;
  for (; a->now < a->n; a->now++) {
    pool_chunk *k = &a->chunks[a->now];
    if (k->cap - k->used >= bytes) return k->used += bytes, k->block + k->used - bytes;
  }
  size_t cap = a->n ? 2 * a->chunks[a->n - 1].cap : 1 << 16;
  if (cap < bytes) cap = bytes;
  PUSH(a->chunks, a->n, a->cap, (pool_chunk){ .block = array_grow(NULL, cap), .used = bytes, .cap = cap });
  return a->chunks[a->now].block;
}

void pool_reset(pool *a) {
  for (int i = 0; i < a->n; i++) a->chunks[i].used = 0;
  a->now = 0;
}

void pool_free(pool *a) {
  for (int i = 0; i < a->n; i++) free(a->chunks[i].block);
  free(a->chunks);
}
