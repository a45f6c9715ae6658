#include "model/passing.h"

#include <stdlib.h>

enum { FEWEST = 8 };

static uint32_t place_of(const passing_table *t, int32_t link) {
  return (uint32_t)link * 0x9e3779b9u >> 7 & (t->size - 1);
}

/* Where the members of one weight that pass this link are; NULL: no member does. */
static passing *find(const passing_table *t, int32_t link, double weight) {
  if (!t->size) return NULL;
  for (uint32_t i = place_of(t, link);; i = (i + 1) & (t->size - 1)) {
    passing *p = &t->at[i];
    if (p->resource == NONE) return NULL;
    if (p->resource == link && p->weight == weight) return p;
  }
}

static passing *put(passing_table *t, passing one) {
  uint32_t i = place_of(t, one.resource);
  while (t->at[i].resource != NONE) i = (i + 1) & (t->size - 1);
  t->at[i] = one;
  t->used++;
  return &t->at[i];
}

/* Room for one more; those without members are left out. */
static void grow(passing_table *t) {
  uint32_t kept = 0, size = FEWEST;
  for (uint32_t i = 0; i < t->size; i++) kept += t->at[i].resource != NONE && t->at[i].members;
  while (size < 4 * kept) size *= 2;
  passing_table larger = { array_grow(NULL, size * sizeof *t->at), size, 0 };
  for (uint32_t i = 0; i < size; i++) larger.at[i].resource = NONE;
  for (uint32_t i = 0; i < t->size; i++)
    if (t->at[i].resource != NONE && t->at[i].members) put(&larger, t->at[i]);
  free(t->at);
  *t = larger;
}

/* A place for a crossing: flows that stand for nothing have room for some. */
static int32_t crossing_new(fluid *u) {
  if (!u->spare_n) {
    flow *f = flow_at(u, (size_t)flow_place(u));
    f->is_bundle = false;
    f->at = -1;
    for (int k = 0; k < u->paths.longest; k++)
      PUSH(u->spare, u->spare_n, u->spare_cap, crossing_place(u, &f->crossing[k]));
  }
  return u->spare[--u->spare_n];
}

static void weigh(const fluid *u, const passing *p) {
  crossing_at(u, p->place)->weight = (double)p->members * p->weight;
}

void passing_add(fluid *u, passing_table *t, int32_t g, int32_t link, double weight, uint32_t members) {
  passing *p = find(t, link, weight);
  if (!p) {
    if (2 * (t->used + 1) > t->size) grow(t);
    p = put(t, (passing){ .resource = link, .weight = weight });
  }
  if (!p->members) {
    p->place = crossing_new(u);
    crossing *c = crossing_at(u, p->place);
    *c = (crossing){ .resource = link, .flow = (uint32_t)g };
    crossing_link(u, c, &u->resource[link].head);
    u->resource[link].flows++;
  }
  p->members += members;
  weigh(u, p);
}

static void leave(fluid *u, passing *p, uint32_t members) {
  p->members -= members;
  weigh(u, p);
  if (p->members) return;
  crossing_unlink(u, crossing_at(u, p->place), &u->resource[p->resource].head);
  u->resource[p->resource].flows--;
  PUSH(u->spare, u->spare_n, u->spare_cap, p->place);
}

void passing_remove(fluid *u, passing_table *t, int32_t link, double weight, uint32_t members) {
  leave(u, find(t, link, weight), members);
}

void passing_forget(fluid *u, passing_table *t, int32_t link) {
  for (uint32_t i = place_of(t, link); t->at[i].resource != NONE; i = (i + 1) & (t->size - 1))
    if (t->at[i].resource == link && t->at[i].members) leave(u, &t->at[i], t->at[i].members);
}

/* As small as at first, so that the same call always finds its links in the same order. */
void passing_clear(passing_table *t) {
  if (t->size) t->size = FEWEST;
  for (uint32_t i = 0; i < t->size; i++) t->at[i].resource = NONE;
  t->used = 0;
}
