/* Arrays that only ever grow, and are used again from one schedule to the next. */
#ifndef COLLSCOPE_CORE_SCHEDULE_ARRAY_H
#define COLLSCOPE_CORE_SCHEDULE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* realloc that ends the program, with a message, when memory is out. */
void *array_grow(void *old, size_t bytes);

/* While this is true the heap is half done: a signal handler must not jump away. */
extern volatile bool array_growing;

static inline size_t array_room(size_t cap, size_t n) {
  size_t twice = cap ? 2 * cap : 16;
  return twice < n ? n : twice;
}

/* Room for n items; cap is how many there is room for. */
#define RESERVE(array, cap, n)                                \
  do {                                                        \
    if ((size_t)(cap) < (size_t)(n)) {                        \
      size_t room_ = array_room((size_t)(cap), (size_t)(n));  \
      (array) = array_grow((array), sizeof *(array) * room_); \
      (cap) = (__typeof__(cap))room_;                         \
    }                                                         \
  } while (0)

/* The same, and what is new is zero. */
#define RESERVE_ZEROED(array, cap, n)                                      \
  do {                                                                     \
    if ((size_t)(cap) < (size_t)(n)) {                                     \
      size_t had_ = (size_t)(cap);                                         \
      RESERVE(array, cap, n);                                              \
      memset((array) + had_, 0, sizeof *(array) * ((size_t)(cap) - had_)); \
    }                                                                      \
  } while (0)

/* One more item behind the n that are there. */
#define PUSH(array, n, cap, ...)  \
  do {                            \
    RESERVE(array, cap, (n) + 1); \
    (array)[(n)++] = __VA_ARGS__; \
  } while (0)

#endif
