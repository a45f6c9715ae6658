/* Links that fill up, by the rate at which they do: a heap, for sparse.c. */
#ifndef COLLSCOPE_MODEL_FILLING_H
#define COLLSCOPE_MODEL_FILLING_H

#include <stddef.h>
#include <stdint.h>

#include "core/schedule/array.h"

/* A link that can fill up, and the rate at which it does. */
typedef struct {
  double share;
  int32_t link;
} filling;

typedef struct {
  filling *at;
  size_t n, cap;
} filling_heap;

static inline void heap_push(filling_heap *h, filling one) {
  PUSH(h->at, h->n, h->cap, one);
  size_t i = h->n - 1;
  for (; i && h->at[(i - 1) / 2].share > one.share; i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
  h->at[i] = one;
}

static inline filling heap_take(filling_heap *h) {
  filling first = h->at[0], last = h->at[--h->n];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
    if (child + 1 < h->n && h->at[child + 1].share < h->at[child].share) child++;
    if (h->at[child].share >= last.share) break;
    h->at[i] = h->at[child];
  }
  h->at[i] = last;
  return first;
}

#endif
