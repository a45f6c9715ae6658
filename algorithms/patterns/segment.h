/* Cutting a vector into segments of a wanted size in bytes. */
#ifndef COLLSCOPE_PATTERNS_SEGMENT_H
#define COLLSCOPE_PATTERNS_SEGMENT_H

#include <stddef.h>

#include "patterns/block.h"

/* The parameter of every segmented algorithm, for its descriptor. */
#define COLL_SEGMENT_PARAM(value) { "s", value, 0, 1L << 30, NULL, "bytes of a segment; 0: one segment" }

/* Elements of a segment of s bytes: s rounded to the nearest whole element, or all of count when s is 0, smaller than
 * an element or not smaller than the vector. */
static inline size_t coll_segment(size_t count, size_t elem, size_t s) {
  if (s < elem || s >= elem * count) return count;
  size_t n = s / elem;
  return s - n * elem > elem / 2 ? n + 1 : n;
}

/* How many segments of that length there are; the last may be shorter. */
static inline size_t coll_segments(size_t count, size_t segment) {
  return segment ? (count + segment - 1) / segment : 0;
}

/* The elements of segment i: none before the first and after the last. */
static inline coll_span coll_segment_at(size_t count, size_t segment, long i) {
  size_t first = i < 0 ? count : (size_t)i * segment;
  if (first >= count) return (coll_span){ 0, 0 };
  return (coll_span){ first, count - first < segment ? count - first : segment };
}

#endif
