#include "bench/turns.h"

#include <math.h>
#include <stdlib.h>

#include "core/runtime/allocate.h"
#include "driver/port.h"

enum { MAX_CALLS = 4096 };
static const double batch_s =
    200e-6; /* a batch lasts at least so long: a barrier's end is not the same instant everywhere */

void turns_run(const pair *p, side s) {
  if (s == OURS) coll_run(p->call);
  else if (p->plain) p->plain(&p->exchange);
  else builtin_run(&p->builtin);
}

static double batch(pair *p, side s, int calls) {
  MPI_Barrier(p->comm);
  double start = port_now();
  for (int i = 0; i < calls; i++) turns_run(p, s);
  return port_now() - start;
}

/* Calls that fill a batch; the same number on all ranks. One short batch of a few says that it is too short: the others may have
 * been held up. */
static int enough_calls(pair *p, double *took) {
  int calls = 1;
  for (int i = 0; i < 10; i++) batch(p, THEIRS, 1); /* connections are made */
  for (;; calls *= 2) {
    *took = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
      double own = batch(p, THEIRS, calls), longest;
      MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, p->comm);
      *took = longest < *took ? longest : *took;
    }
    if (*took >= batch_s || calls >= MAX_CALLS) return calls;
  }
}

/* Puts the sides of a turn in an order, the same on all ranks; each order comes equally often in the long run. */
static void shuffle(side order[SIDES], uint32_t *state) {
  for (int i = SIDES; i-- > 1;) {
    *state = *state * 1664525u + 1013904223u;
    int k = (int)((*state >> 16) % (uint32_t)(i + 1));
    side other = order[k];
    order[k] = order[i];
    order[i] = other;
  }
}

struct turn_times {
  int calls, taken;
  double longest[SIDES * TURNS_MAX];
};

turn_times *turns_take(pair *p, int least, double seconds) {
  double took;
  turn_times *t = runtime_allocate_zeroed(sizeof *t);
  t->calls = enough_calls(p, &took);
  double fit = seconds / (SIDES * took);
  int most = fit < least ? least : fit < TURNS_MAX ? (int)fit : TURNS_MAX;
  double *own = runtime_allocate_zeroed(sizeof t->longest);
  side order[SIDES] = { OURS, THEIRS, AGAIN };
  uint32_t state = 1;
  for (int s = 0; s < SIDES; s++) batch(p, order[s], t->calls); /* warm up */
  double until = port_now() + seconds;
  for (int late = 0; t->taken < most; t->taken++) {
    shuffle(order, &state);
    for (int s = 0; s < SIDES; s++) own[order[s] * TURNS_MAX + t->taken] = batch(p, order[s], t->calls) / t->calls;
    late = port_now() > until; /* on a busy machine turns last longer than was foreseen */
    MPI_Bcast(&late, 1, MPI_INT, 0, p->comm);
    if (late && t->taken + 1 >= least) most = t->taken + 1;
  }
  MPI_Reduce(own, t->longest, SIDES * TURNS_MAX, MPI_DOUBLE, MPI_MAX, 0, p->comm);
  free(own);
  return t;
}

void turns_print(const turn_times *t, json *j) {
  static const char *const name[] = { "ours_s", "theirs_s", "again_s" };
  json_int(j, "calls", t->calls);
  for (int s = 0; s < SIDES; s++) {
    json_array(j, name[s]);
    for (int i = 0; i < t->taken; i++) json_real(j, NULL, t->longest[s * TURNS_MAX + i]);
    json_end(j);
  }
}

void turns_free(turn_times *t) { free(t); }
