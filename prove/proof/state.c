/* What all parts of the proof call: a verdict, and a rank that can go on. */
#include "prove/proof/state.h"

#include <stdarg.h>
#include <stdio.h>

bool proof_fail(proof *e, proof_kind kind, const char *format, ...) {
  e->result->kind = kind;
  va_list list;
  va_start(list, format);
  vsnprintf(e->result->failure, sizeof e->result->failure, format, list);
  va_end(list);
  return false;
}

void proof_wake(proof *e, int rank) {
  rank_state *a = &e->state[rank];
  a->waiting = PROOF_RUNNING;
  if (a->queued) return;
  a->queued = true;
  uint32_t at = e->queue_at + e->queue_n++;
  e->queue[at >= (uint32_t)e->p ? at - (uint32_t)e->p : at] = (uint32_t)rank;
}
