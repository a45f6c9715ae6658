/* The fluid rule's flows and links, for what finds their shares: connected.c, sparse.c and dense.c. */
#ifndef COLLSCOPE_MODEL_FLOWS_H
#define COLLSCOPE_MODEL_FLOWS_H

#include <float.h>
#include <math.h>

#include "core/schedule/array.h"
#include "model/engine.h"
#include "model/ordering.h"
#include "model/event_queue.h"
#include "model/path.h"

/* Events have 32 bits to be told apart by; those of one instant, before which there are no more than this, have as many again. */
#define MAX_EVENTS (UINT32_MAX / 2)

/* What is solved together has one stamp. Flows have room for so many bits of it: then they begin again. */
enum { STAMP_BITS = 30, MAX_STAMP = (1 << STAMP_BITS) - 1 };

/* A message that uses bandwidth. Its rate is in what its path counts. With a million ranks most of the time goes into fetching flows, so
 * they are short: three lines of a cache where five links are crossed. The first line has all that others on its links ask. */
typedef struct {
  int32_t message; /* of a bundle: its number */
  int32_t moment;
  uint32_t order, stamp : STAMP_BITS; /* order: of events of one instant, those come first that were put in first */
  bool fixed : 1;
  bool is_bundle : 1; /* it stands for many: see bundles.h */
  int crossed;
  union {
    int32_t bottleneck; /* the link that keeps it from more; NONE: its own limit */
    int32_t bundle;     /* of a flow in a bundle: which one */
  };
  double left, rate, since, share;
  double at; /* when it goes on: its event; -1: it has none */
  double most;
  crossing crossing[]; /* paths.longest */
} flow;

/* Flows of one length, one behind the other; places in them are counted in so many bytes. */
enum { GRAIN = 8, CACHE_LINE = 64, MAX_FETCHED = 4 * CACHE_LINE };

typedef struct {
  int32_t head;
  int flows;
  int open;
  uint32_t stamp : STAMP_BITS;
  bool dirty : 1; /* it is among those */
  union {
    double left;
    struct {           /* where links are sparse and flows are in no bundles: */
      int stuck;       /* flows that have it as their bottleneck */
      uint32_t joined; /* the stamp of the solution that is next when one joined it last */
    };
  };
  union {
    double demand;
    double potential; /* where links are sparse: what its flows would take of it if each were alone */
  };
} resource;

typedef struct {
  event_queue queue;
  link_paths paths;
  ordering ordering;
  char *flow;
  size_t flows, flow_bytes, flow_cap; /* flow_bytes: of one */
  /* The first flow of a rank has a place of its own, so that those of neighbouring ranks are neighbours; others lie behind these. */
  uint8_t *home; /* of each rank: a home_state */
  size_t homes, home_cap;
  int32_t *free_list;
  size_t free_list_n, free_list_cap; /* other flows that are over */
  resource *resource;
  size_t resource_cap;
  double *load; /* of each resource: how long all messages keep it busy, where that is asked for */
  size_t load_cap;
  int32_t *dirty;
  size_t dirty_n, dirty_cap; /* resources whose flows have changed */
  int32_t *reached;
  size_t reached_n, reached_cap;
  int32_t *solved;
  size_t solved_n, solved_cap;
  uint32_t stamp, order;
  size_t entered; /* flows so far */
  struct bundles *bundles;
  int32_t *spare;
  size_t spare_n, spare_cap; /* crossings for members of bundles: see passing.h */
  bool bundled;              /* flows are in bundles now */
  bool sparse; /* messages cross many links, few of which are ever full: there is a network of links between nodes */
  struct sparse_work *sparse_work;
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

static inline bool is_loose(const resource *r) { return r->potential <= LOOSE; }

/* The rate of a flow that shares nothing. */
static inline double flow_rate_alone(const flow *f) {
  double most = f->crossing->weight;
  for (int k = 1; k < f->crossed; k++)
    if (f->crossing[k].weight > most) most = f->crossing[k].weight;
  return fmin(1 / most, f->most);
}

static inline void flow_happens_at(fluid *u, int32_t index, double time) {
  flow *f = flow_at(u, (size_t)index);
  if (f->at < 0) f->order = u->order++;
  f->at = time;
  f->moment = event_queue_add(&u->queue, (uint64_t)f->order << 32 | (uint32_t)index, time);
}

static inline void mark_dirty(fluid *u, int res) {
  if (u->resource[res].dirty) return;
  u->resource[res].dirty = true;
  PUSH(u->dirty, u->dirty_n, u->dirty_cap, res);
}

/* Its first line; the others but the end of a long one; and both. */
static inline void fetch_state(const fluid *u, int32_t index) { __builtin_prefetch(flow_at(u, (size_t)index), 1); }

static inline void fetch_rest(const fluid *u, int32_t index) {
  const char *f = (const char *)flow_at(u, (size_t)index);
  size_t bytes = u->flow_bytes < MAX_FETCHED ? u->flow_bytes : MAX_FETCHED;
  for (size_t line = CACHE_LINE; line < bytes; line += CACHE_LINE) __builtin_prefetch(f + line, 1);
}

static inline void fetch_flow(const fluid *u, int32_t index) {
  fetch_state(u, index);
  fetch_rest(u, index);
}

static inline void fetch_dirty_link(const fluid *u, size_t d) {
  if (d < u->dirty_n) __builtin_prefetch(&u->resource[u->dirty[d]], 1);
}

static inline void fetch_dirty_head(const fluid *u, size_t d) {
  if (d >= u->dirty_n) return;
  int32_t head = u->resource[u->dirty[d]].head;
  if (head != NONE) __builtin_prefetch(crossing_at(u, head));
}

static inline void fetch_dirty_flow(const fluid *u, size_t d) {
  if (d >= u->dirty_n) return;
  int32_t head = u->resource[u->dirty[d]].head;
  if (head != NONE) fetch_flow(u, (int32_t)crossing_at(u, head)->flow);
}

/* Of what is dirty from this one on: the resource of the third stage, its first crossing in the second, whose flow in the first. */
static inline void fetch_dirty(const fluid *u, size_t d) {
  fetch_dirty_link(u, d + 3 * AHEAD);
  fetch_dirty_head(u, d + 2 * AHEAD);
  fetch_dirty_flow(u, d + AHEAD);
}

/* Of the first of what is dirty. */
static inline void fetch_first_dirty(const fluid *u) {
  for (size_t d = 0; d < 3 * AHEAD; d++) fetch_dirty_link(u, d);
  for (size_t d = 0; d < 2 * AHEAD; d++) fetch_dirty_head(u, d);
  for (size_t d = 0; d < AHEAD; d++) fetch_dirty_flow(u, d);
}

static inline uint32_t stamp_after(uint32_t stamp) { return stamp < MAX_STAMP ? stamp + 1 : 1; }

static inline void clear_dirty(fluid *u) {
  for (size_t i = 0; i < u->dirty_n; i++) u->resource[u->dirty[i]].dirty = false;
  u->dirty_n = 0;
}

typedef enum { HOME_NEW, HOME_FREE, HOME_TAKEN } home_state;

/* A place for one more flow: in the pool, or for a rank's. */
static inline int32_t flow_place(fluid *u) {
  if (u->free_list_n) return u->free_list[--u->free_list_n];
  RESERVE(u->flow, u->flow_cap, (u->flows + 1) * u->flow_bytes);
  flow_at(u, u->flows)->stamp = 0;
  return (int32_t)u->flows++;
}

static inline int32_t flow_place_of(fluid *u, int rank) {
  if (u->home[rank] == HOME_TAKEN) return flow_place(u);
  if (u->home[rank] == HOME_NEW) flow_at(u, (size_t)rank)->stamp = 0;
  u->home[rank] = HOME_TAKEN;
  return rank;
}

static inline void flow_give_back(fluid *u, int32_t index) {
  if ((size_t)index < u->homes) u->home[index] = HOME_FREE;
  else PUSH(u->free_list, u->free_list_n, u->free_list_cap, index);
}

/* From now on no flow and no link has the present stamp. */
static inline void stamp_next(fluid *u) {
  if (u->stamp++ < MAX_STAMP) return;
  for (size_t i = 0; i < u->flows; i++) flow_at(u, i)->stamp = 0;
  for (int i = 0; i < u->paths.resources; i++) u->resource[i].stamp = 0;
  u->stamp = 1;
}

/* Puts a flow's crossing at the head of a list of those of one link, and takes it out. */
static inline void crossing_link(const fluid *u, crossing *c, int32_t *head) {
  c->before = NONE;
  c->next = *head;
  *head = crossing_place(u, c);
  if (c->next != NONE) crossing_at(u, c->next)->before = *head;
}

static inline void crossing_unlink(const fluid *u, const crossing *c, int32_t *head) {
  if (c->before == NONE) *head = c->next;
  else crossing_at(u, c->before)->next = c->next;
  if (c->next != NONE) crossing_at(u, c->next)->before = c->before;
}

#endif
