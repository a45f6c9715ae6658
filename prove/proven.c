#include "prove/proven.h"

#include <stdlib.h>
#include <string.h>

#include "core/schedule/array.h"

static proven_schedule *place(const proven_schedules *t, const uint64_t hash[2]) {
  size_t at = hash[0];
  for (;; at++) {
    proven_schedule *s = &t->slot[at & (t->slots - 1)];
    if (!s->hash[1] || (s->hash[0] == hash[0] && s->hash[1] == hash[1])) return s;
  }
}

static void grow(proven_schedules *t) {
  proven_schedules old = *t;
  t->slots = old.slots ? 2 * old.slots : 1024;
  t->slot = array_grow(NULL, sizeof *t->slot * t->slots);
  memset(t->slot, 0, sizeof *t->slot * t->slots);
  for (size_t i = 0; i < old.slots; i++)
    if (old.slot[i].hash[1]) *place(t, old.slot[i].hash) = old.slot[i];
  free(old.slot);
}

proven_schedule *proven_find(proven_schedules *t, const uint64_t hash[2]) {
  if (2 * (t->used + 1) > t->slots) grow(t);
  proven_schedule *s = place(t, hash);
  if (!s->hash[1]) {
    t->used++;
    s->hash[0] = hash[0];
    s->hash[1] = hash[1];
  }
  return s;
}

void proven_forget(proven_schedules *t) {
  if (t->slots) memset(t->slot, 0, sizeof *t->slot * t->slots);
  t->used = 0;
}

void proven_free(proven_schedules *t) { free(t->slot); }
