#include "preload/plans.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/allocate.h"
#include "preload/keep.h"

static planned *make(const communicator *c, const shape *s, bool in_place, const char *key) {
  binding b;
  char reason[BIND_TEXT];
  planned *p = runtime_allocate_zeroed(sizeof *p);
  p->shape = keep_shape(c, s);
  p->in_place = in_place;
  if (!keep_bind(&b, c, &p->shape, key, p->name)) return p;
  b.args.in_place = in_place;
  p->plan = coll_plan_make(b.alg, &b.args, c->rank, reason, sizeof reason);
  if (p->plan) return p;
  const char *rank_is_named = strstr(reason, " alone: "); /* all ranks say the same */
  snprintf(p->name, sizeof p->name, "%.150s", rank_is_named ? rank_is_named + strlen(" alone: ") : reason);
  return p;
}

planned *plans_find(communicator *c, const shape *s, bool in_place, const char *key) {
  planned **set = c->planned[keep_set(c, s)];
  int at = 0;
  while (at < KEPT_PER_SET && set[at] && !(keep_equal(c, &set[at]->shape, s) && set[at]->in_place == in_place)) at++;
  if (at == KEPT_PER_SET) plans_drop(c, set[--at]), set[at] = NULL;
  planned *p = set[at] ? set[at] : make(c, s, in_place, key);
  memmove(set + 1, set, sizeof *set * (size_t)at);
  return set[0] = p;
}

static void count(communicator *c, planned *p) {
  for (int kind = 0; kind < PLANS_KINDS; kind++) {
    if (!p->row[kind]) continue;
    row *r = &c->counts.rows[p->row[kind] - 1];
    r->over += p->over[kind].calls;
    r->over_s += p->over[kind].took_s;
    r->seconds += p->over[kind].inside_s;
  }
  memset(p->over, 0, sizeof p->over);
}

static void discard(communicator *c, planned *p) {
  count(c, p);
  if (p->idle) coll_finish(p->idle);
  if (p->plan) coll_plan_free(p->plan);
  free(p->shape.displs);
  free(p);
}

void plans_leave(communicator *c, planned *p) {
  if (!--p->users && p->dropped) discard(c, p);
}

void plans_drop(communicator *c, planned *p) {
  if (!p) return;
  p->dropped = true;
  if (!p->users) discard(c, p);
}

void plans_count(communicator *c) {
  for (int s = 0; s < KEPT_SETS; s++)
    for (int w = 0; w < KEPT_PER_SET; w++)
      if (c->planned[s][w]) count(c, c->planned[s][w]);
}
