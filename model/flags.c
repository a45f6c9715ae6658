#include "model/flags.h"

#include "core/schedule/array.h"

void flags_publish(engine *e, int r, flag_state *f, uint64_t value) {
  rank_state *s = &e->rank[r];
  PUSH(f->list, f->n, f->cap, (publication){ value, s->clock, s->count, r, e->why ? e->why->last[r] : NONE });
  for (int32_t w = f->waiting, next; w != NONE; w = next) {
    next = e->rank[w].flag_link;
    engine_wake(e, w);
  }
  f->waiting = NONE;
}

bool flags_reached(engine *e, int r, const flag_state *f, uint64_t value, int *setter) {
  rank_state *s = &e->rank[r];
  if (!value) return true;
  int low = 0, high = f->n; /* values grow */
  while (low < high) {
    int middle = (low + high) / 2;
    if (f->list[middle].value >= value) high = middle;
    else low = middle + 1;
  }
  if (low == f->n) return false;
  const publication *set = &f->list[low];
  bool waited = is_later(s->clock, s->count, set->time, set->count);
  take_later(&s->clock, &s->count, set->time, set->count);
  if (waited && causes_enabled(e->why)) causes_flag(e->why, r, set->step, s->clock);
  *setter = set->rank;
  return true;
}
