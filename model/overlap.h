/* How much of a call its ranks can compute beside it: docs/metrics.md has the definitions. */
#ifndef COLLSCOPE_MODEL_OVERLAP_H
#define COLLSCOPE_MODEL_OVERLAP_H

#include "core/catalogue/json.h"
#include "model/nonblocking.h"

typedef enum { OVERLAP_CALLS, OVERLAP_THREAD, OVERLAP_OFFLOAD } overlap_progress;

typedef struct {
  double pure_s;    /* started and waited for at once: until the last rank is through */
  double total_s;   /* with computation, likewise */
  double work_s;    /* what the rank has computed that is through last */
  double overlap;   /* the part of pure_s that its computation hides */
  double available; /* what all ranks have computed as a part of the time of their cores */
} overlap;

/* poll_part: computes for this part of pure_s and asks, until the call is through; 0: computes for pure_s, then waits.
 * thread: a core of its own per rank advances the call. Returns 0, or -1 with player->error set. */
int overlap_run(overlap *, nonblocking *player, const record *, const machine *, overlap_progress, double poll_part);
/* As members of an object: pure_s, work_s, overlap, available. */
void overlap_print(json *, const overlap *);

#endif
