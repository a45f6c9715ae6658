/* Which buffers have pages of their own. */
#ifndef COLLSCOPE_VALIDATE_RUNTIME_PAGES_H
#define COLLSCOPE_VALIDATE_RUNTIME_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

enum { CACHE_LINE = 64 };

static inline size_t whole_pages(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

/* A large buffer shares no page with another, so that it can be mapped again. */
static inline bool has_pages(size_t bytes) { return bytes >= (size_t)sysconf(_SC_PAGESIZE); }

#endif
