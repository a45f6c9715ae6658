/* Recursive doubling of signals; with ranks that are no power of two the last ones report before, and are set free afterwards. */
#ifndef COLLSCOPE_PRIMITIVES_DOUBLING_BARRIER_H
#define COLLSCOPE_PRIMITIVES_DOUBLING_BARRIER_H

#include "patterns/fold.h"
#include "primitives/signal.h"

/* acknowledged: who sets a rank free waits for its answer. */
static inline void coll_doubling_barrier(coll_ctx *c, bool acknowledged) {
  coll_fold f = coll_fold_make(c->size, COLL_FOLD_EVEN); /* for its numbers; the pairs here are r and r + p' */
  if (c->rank >= f.power) {
    coll_signal_and_hear(c, c->rank - f.power, c->rank - f.power);
    if (acknowledged) coll_signal(c, c->rank - f.power);
    return;
  }
  bool paired = c->rank < f.extra;
  if (paired) coll_hear(c, c->rank + f.power);
  for (int distance = 1; distance < f.power; distance *= 2)
    coll_signal_and_hear(c, c->rank ^ distance, c->rank ^ distance);
  if (!paired) return;
  coll_signal(c, c->rank + f.power);
  if (acknowledged) coll_hear(c, c->rank + f.power);
}

#endif
