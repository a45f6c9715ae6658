/* Where segmented algorithms are exact. */
#ifndef COLLSCOPE_PRIMITIVES_EVEN_SEGMENTS_H
#define COLLSCOPE_PRIMITIVES_EVEN_SEGMENTS_H

#include "collscope.h"
#include "patterns/segment.h"

/* With a shorter last segment they take a little less than their cost. Their first parameter is the bytes of a segment. */
static inline bool coll_even_segments(const coll_args *a) {
  return !a->count || a->count % coll_segment(a->count, a->elem, (size_t)a->param[0]) == 0;
}

#endif
