/* Flows in bundles: those that are stuck at the same links have the same rate at any time, so together they are one flow with so many
 * times the weight. How far all of them have come is one number; each is over when that number has reached its end, so a heap of ends
 * tells which is next. What makes use of it is dense.c.
 *
 * Of the full links that it crosses a flow minds those where it may be stuck: flows are in one bundle if they mind the same. The others it
 * only passes (passing.h). Thousands of slow messages pass the port of a core that one message within the node has filled up. */
#ifndef COLLSCOPE_MODEL_BUNDLES_H
#define COLLSCOPE_MODEL_BUNDLES_H

#include "model/passing.h"

typedef struct {
  double end; /* it is over when the bundle has come this far */
  uint32_t order;
  int32_t flow;
} member;

typedef struct {
  int32_t flow;   /* that stands for it; NONE: it is idle */
  int32_t next;   /* in its place of the table, or among idle ones */
  member *member; /* a heap: the one that is over first */
  size_t n, cap;
  double through; /* how far each member has come, beginning at 0 with the bundle */
  double ceiling; /* no member has a higher rate, as far as loose links are concerned */
  uint64_t hash;
  passing_table passes; /* what members cross and do not mind */
  bool touched;         /* it is among those */
  bool split;           /* members have left since its event was set: it may not be due to the others */
} bundle;

/* A link, as flows see it that are in bundles. */
typedef struct {
  int32_t head; /* their crossings */
  int flows;
  double load;     /* loose: at most so much of it is in use */
  double level;    /* full: the rate of those who are stuck here, when shares were found last; INFINITY: nobody is */
  bool full, over; /* full: not loose; over: it may not be loose any more */
} bundle_link;

typedef struct bundles {
  bundle *bundle;
  size_t n, cap;
  int32_t idle;
  int32_t *table; /* of bundles by what they cross */
  size_t table_size, used;
  bundle_link *link;
  size_t link_cap;
  int32_t *over, *touched, *stuck;
  size_t over_n, over_cap, touched_n, touched_cap;
  size_t stuck_n, stuck_cap; /* bundles that were stuck at a link that they pass */
  member *moved;
  size_t moved_cap;
  unsigned calm; /* how often shares were found */
} bundles;

void bundles_clear(bundles *, int links);
/* Puts a flow into the bundle that it belongs to, with so much left to flow; a bundle that is new has this ceiling. Returns which
 * it is. The flow must mind a full link. */
int32_t bundles_join(fluid *, int32_t flow, double left, double now, double ceiling);
/* Takes out the first member whose end is in reach, and returns it, or NONE. */
int32_t bundles_next(fluid *, int32_t id, double reach);
/* A member is over: what it passes has one less. */
void bundles_pass_out(fluid *, int32_t id, int32_t flow);
/* A link is full: those who cross it pass it from now on. */
void bundles_pass(fluid *, int32_t link, double now);
/* Members that pass this link mind it from now on, and leave for the bundles that they belong to then. */
void bundles_split(fluid *, int32_t id, int32_t link, double now);
/* It does not mind this link any more, and passes it if that is full. Returns another bundle that minds the same links now; NONE. */
int32_t bundles_forget(fluid *, int32_t id, int32_t link);
/* All members of one go into another that minds the same links. */
void bundles_merge(fluid *, int32_t id, int32_t into, double now);
/* How far its members have come by now. */
void bundles_advance(fluid *, bundle *, double now);
/* Its weights are so many times those of a member. */
void bundles_weigh(fluid *, const bundle *, const flow *member);
/* This flow may take so much more of the loose links that it crosses; those that it could fill are listed as over. */
void bundles_load(fluid *, int32_t flow, double more);
/* Its rate, or who is over first, may have changed. */
void bundles_touch(bundles *, int32_t id);
/* Touched bundles without members are taken away. */
void bundles_sweep(fluid *);
void bundles_free(bundles *);

#endif
