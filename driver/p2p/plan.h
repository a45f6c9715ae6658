/* A plan of point-to-point measurements: see p2p.h for its text. */
#ifndef COLLSCOPE_DRIVER_P2P_PLAN_H
#define COLLSCOPE_DRIVER_P2P_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/launch.h"

enum { P2P_VALUES = 3, P2P_SAMPLES = 10000 };

typedef struct {
  int from, to;
} flow;

typedef struct {
  const struct pattern *pattern;
  size_t bytes;
  int count, samples, flows;
  flow *flow;
} measurement;

/* What a pattern works with: buffers of `room` bytes, touched; `back` where a pattern takes it. */
typedef struct {
  const launch *l;
  char *send, *recv, *back;
  size_t room;
} bench;

/* One sample: all ranks call it together. A rank leaves in value[] what it has timed, and what it has not as it was (-1). */
typedef struct pattern {
  const char *name;
  const char *value[P2P_VALUES]; /* names; NULL ends them */
  size_t room;                   /* bytes of its buffers, where it takes more than a message's */
  bool local;                    /* no flows: count is a number of ranks */
  bool returns;                  /* it works with `back`, too */
  void (*sample)(const bench *, const measurement *, double value[P2P_VALUES]);
} pattern;

const pattern *pattern_named(const char *name); /* NULL: unknown */

typedef struct {
  measurement *of;
  size_t measurements;
} p2p_plan;

/* Reads text, line by line; `ranks`: how many there are. Returns false with "LINE: what is wrong" in error. Free in either case. */
bool p2p_plan_read(p2p_plan *, char *text, int ranks, char *error, size_t size);
void p2p_plan_free(p2p_plan *);

#endif
