/* The sweep of the registry: every algorithm over ranks, counts, roots, operators and parameters, each call's data checked twice (a
 * second run on the same plan shows what the first left behind).
 *
 * Rank 0 prints a JSON line for each algorithm: {"sweep":KEY,"calls":N,"unsupported":N,"wrong":N}. */
#ifndef COLLSCOPE_DRIVER_CHECK_SWEEP_H
#define COLLSCOPE_DRIVER_CHECK_SWEEP_H

#include <stddef.h>
#include <stdio.h>

#include "driver/launch.h"

typedef struct {
  const char *algorithm; /* only keys that begin so; NULL: all */
  int max_roots;         /* with more ranks than this, only three roots; 0: every root */
  int part, parts;       /* every parts-th algorithm, from the part-th; parts 0: all */
} sweep_options;

/* Collective over the launch. Returns the number of wrong calls over all ranks. */
size_t sweep(launch *, const sweep_options *, FILE *out);

#endif
