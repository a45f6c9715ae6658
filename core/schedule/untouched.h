/* Memory that is newly mapped: which bytes of it nobody has written yet. Whoever writes a page first waits until the system has made it. */
#ifndef COLLSCOPE_CORE_SCHEDULE_UNTOUCHED_H
#define COLLSCOPE_CORE_SCHEDULE_UNTOUCHED_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t begin, end;
} untouched_range;

/* Zero-initialise before the first use; `n = 0` forgets all. */
typedef struct {
  untouched_range *range; /* [n] ascending, none meets another */
  size_t n, cap;
} untouched;

/* A buffer of fewer bytes lies between others, in pages that were written before. */
enum { UNTOUCHED_PAGE = 4096 };

/* These bytes are newly mapped; none of them is in it already. */
void untouched_add(untouched *, uint64_t begin, uint64_t bytes);
/* These bytes are written. Returns how many of them for the first time. */
uint64_t untouched_write(untouched *, uint64_t begin, uint64_t bytes);
void untouched_free(untouched *);

#endif
