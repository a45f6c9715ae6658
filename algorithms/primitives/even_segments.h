/* Where segmented algorithms are exact. */
#ifndef COLLSCOPE_PRIMITIVES_EVEN_SEGMENTS_H
#define COLLSCOPE_PRIMITIVES_EVEN_SEGMENTS_H

#include "collscope.h"
#include "patterns/segment.h"

/* Are all segments of s bytes as long? A shorter last one overtakes nothing, but it may be held up by a longer one before it, and what waits
 * for it alone takes a little less. */
static inline bool coll_segments_even(const coll_args *a, size_t s) {
  return !a->count || a->count % coll_segment(a->count, a->elem, s) == 0;
}
/* Where the first parameter is the bytes of a segment. */
static inline bool coll_even_segments(const coll_args *a) { return coll_segments_even(a, (size_t)a->param[0]); }

#endif
