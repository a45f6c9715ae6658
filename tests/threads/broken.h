/* Deliberately wrong algorithms and segments, which threads_test must catch. */
#ifndef COLLSCOPE_TESTS_THREADS_BROKEN_H
#define COLLSCOPE_TESTS_THREADS_BROKEN_H

#include "collscope.h"

typedef struct {
  const coll_alg *alg; /* NULL: key names one of the registry */
  const char *key;
  coll_operations ops;
} broken_case;

bool broken_find(const char *name, broken_case *); /* false: none of that name */

#endif
