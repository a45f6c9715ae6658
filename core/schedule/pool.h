/* Memory that is taken piece by piece and given back all at once. */
#ifndef COLLSCOPE_CORE_SCHEDULE_POOL_H
#define COLLSCOPE_CORE_SCHEDULE_POOL_H

#include <stddef.h>

typedef struct {
  char *block;
  size_t used, cap;
} pool_chunk;
typedef struct {
  pool_chunk *chunks;
  int n, cap, now;
} pool;

void *pool_take(pool *, size_t bytes); /* aligned to 16 bytes */
void pool_reset(pool *);               /* gives all back, to be taken again */
void pool_free(pool *);

#endif
