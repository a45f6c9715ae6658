/* Which bytes of a rank's buffers another core's cache has, too: those that a receiver on its node has read out of them since they were last
 * written. Writing them takes these lines back, which the back-end charges (core/runtime/port.h): before a copy or a combining, and when
 * what was received is there. Nothing is known, and nothing costs anything, where the back-end does not charge. */
#ifndef COLLSCOPE_CORE_RUNTIME_CACHED_ELSEWHERE_H
#define COLLSCOPE_CORE_RUNTIME_CACHED_ELSEWHERE_H

#include "collscope.h"
#include "core/schedule/byte_set.h"

typedef struct {
  byte_set bytes; /* by address */
  size_t read_in_place_from;
  const coll_place *place; /* of each rank; NULL: all on one node */
  int rank;
  size_t *owed; /* [slots] of each receive that goes on: what it is to be charged when it is over */
  int slots;
} cached_elsewhere;

cached_elsewhere cached_elsewhere_make(const coll_place *place);
void cached_elsewhere_free(cached_elsewhere *);
static inline bool cached_elsewhere_counts(const cached_elsewhere *c) { return c->read_in_place_from < SIZE_MAX; }

/* The rank sends these bytes; `to` is a rank of the call. */
void cached_elsewhere_sent(cached_elsewhere *, const void *data, size_t bytes, int to);
/* It will receive into them, from a rank of the call: what to charge when they are there. */
size_t cached_elsewhere_received(cached_elsewhere *, const void *data, size_t bytes, int from);
/* The same of a receive that goes on; and what to charge when these have been waited for. */
void cached_elsewhere_receives(cached_elsewhere *, const void *data, size_t bytes, int from, coll_req);
size_t cached_elsewhere_waited(cached_elsewhere *, int k, const coll_req *);
/* It writes them itself: charged. */
void cached_elsewhere_written(cached_elsewhere *, const void *data, size_t bytes);
/* Nothing is known of these any more. */
void cached_elsewhere_forget(cached_elsewhere *, const void *data, size_t bytes);

#endif
