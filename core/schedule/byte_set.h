/* A set of bytes by address: those of newly mapped memory that nobody has written yet, or those that another core's cache has, too. */
#ifndef COLLSCOPE_CORE_SCHEDULE_BYTE_SET_H
#define COLLSCOPE_CORE_SCHEDULE_BYTE_SET_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t begin, end;
} byte_range;

/* Zero-initialise before the first use; `n = 0` forgets all. */
typedef struct {
  byte_range *range; /* [n] ascending, none meets another */
  size_t n, cap;
} byte_set;

/* Of newly mapped memory: a buffer of fewer bytes lies between others, in pages that were written before. */
enum { UNTOUCHED_PAGE = 4096 };

/* These bytes are in it from now on. */
void byte_set_add(byte_set *, uint64_t begin, uint64_t bytes);
/* These bytes are not in it any more. Returns how many of them were. */
uint64_t byte_set_remove(byte_set *, uint64_t begin, uint64_t bytes);
void byte_set_free(byte_set *);

#endif
