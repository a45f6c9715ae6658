#include "model/engine.h"

#include <math.h>
#include <stdlib.h>

#include "core/schedule/array.h"

void engine_wake(engine *e, int rank) { PUSH(e->run, e->run_n, e->run_cap, rank); }

void engine_complete(engine *e, int32_t id, double time) {
  message *m = message_at(e, id);
  m->flags |= DONE;
  m->time = time;
  if (e->times) e->times[id].end = time;
  if (!(m->flags & TRANSFER)) m->count++;
  if (e->completed) {
    e->completed(e->player, id);
    return;
  }
  if (!(m->flags & EAGER) && m->dst != m->src && e->rank[m->src].message == id) engine_wake(e, m->src);
  if (e->rank[m->dst].message == id) engine_wake(e, m->dst);
}

bool engine_move(engine *e, bool any, double next) {
  if (!any && isinf(e->alarm)) return false;
  e->now = any && next <= e->alarm ? next : e->alarm;
  return true;
}

double engine_steps(const engine *e) { return (double)(e->wiring.operations + e->wiring.transfers + e->shares); }

void engine_free(engine *e) {
  wiring_free(&e->wiring);
  free(e->rank);
  free(e->run);
}
