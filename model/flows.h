/* The fluid rule's flows and links, for the two methods to find their shares: fluid.c and sparse.c. */
#ifndef COLLSCOPE_MODEL_FLOWS_H
#define COLLSCOPE_MODEL_FLOWS_H

#include <float.h>
#include <math.h>

#include "core/schedule/array.h"
#include "model/engine.h"
#include "model/ordering.h"
#include "model/event_queue.h"
#include "model/path.h"

/* A message that uses bandwidth. Its rate is in what its path counts. With a million ranks most of the time goes into fetching flows, so
 * they are short: three lines of a cache where five links are crossed. */
typedef struct {
  int32_t message, moment;
  uint32_t order, stamp : 31; /* order: of events of one instant, those come first that were put in first */
  bool fixed : 1;
  double left, rate, since, share, most;
  double at; /* when it goes on: its event; -1: it has none */
  int crossed;
  int32_t bottleneck;  /* the link that keeps it from more; NONE: its own limit */
  crossing crossing[]; /* paths.longest */
} flow;

/* Flows of one length, one behind the other; places in them are counted in so many bytes. */
enum { GRAIN = 8, CACHE_LINE = 64 };

typedef struct {
  int32_t head;
  int flows;
  int open;
  uint32_t stamp : 31;
  bool dirty : 1; /* it is among those */
  double left, demand;
} resource;

typedef struct {
  event_queue queue;
  link_paths paths;
  ordering ordering;
  char *flow;
  size_t flows, flow_bytes, flow_cap; /* flow_bytes: of one */
  int32_t *free_list;
  size_t free_list_n, free_list_cap; /* flows that are over */
  resource *resource;
  size_t resource_cap;
  /* Of each resource, what its flows would take of it if each were alone; only where links are sparse. */
  double *potential;
  size_t potential_cap;
  int32_t *dirty;
  size_t dirty_n, dirty_cap; /* resources whose flows have changed */
  int32_t *reached;
  size_t reached_n, reached_cap;
  int32_t *solved;
  size_t solved_n, solved_cap;
  uint32_t stamp, order;
  bool sparse; /* messages cross many links, few of which are ever full: there is a network of links between nodes */
  struct filling *heap;
  size_t heap_n, heap_cap;
} fluid;

static inline flow *flow_at(const fluid *u, size_t index) { return (flow *)(u->flow + index * u->flow_bytes); }

static inline crossing *crossing_at(const fluid *u, int32_t place) {
  return (crossing *)(u->flow + (size_t)(uint32_t)place * GRAIN);
}

static inline int32_t crossing_place(const fluid *u, const crossing *c) {
  return (int32_t)(uint32_t)((size_t)((const char *)c - u->flow) / GRAIN);
}

/* A link whose flows cannot fill it keeps nobody from anything. */
static const double LOOSE = 1 - 1e-9;

static inline bool is_loose(const fluid *u, int32_t link) { return u->potential[link] <= LOOSE; }

/* The rate of a flow that shares nothing. */
static inline double flow_rate_alone(const flow *f) {
  double most = f->crossing->weight;
  for (int k = 1; k < f->crossed; k++)
    if (f->crossing[k].weight > most) most = f->crossing[k].weight;
  return fmin(1 / most, f->most);
}

/* From now on the flow has this share, and what it crosses has that much less for others. */
static inline void flow_fix(fluid *u, flow *f, double share) {
  f->fixed = true;
  f->share = share;
  for (const crossing *c = f->crossing; c < f->crossing + f->crossed; c++) {
    resource *r = &u->resource[c->resource];
    r->left -= c->weight * share;
    r->demand -= c->weight;
    r->open--;
  }
}

#endif
