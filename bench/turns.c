#include "bench/turns.h"

#include <math.h>
#include <stdlib.h>

#include "core/runtime/allocate.h"
#include "core/runtime/port.h"

enum { MOST_CALLS = 4096 };
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
    if (*took >= batch_s || calls >= MOST_CALLS) return calls;
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

static void print_times(FILE *out, int turns, const double *time) {
  static const char *const name[] = { "ours_s", "theirs_s", "again_s" };
  for (int s = 0; s < SIDES; s++) {
    fprintf(out, ",\"%s\":[", name[s]);
    for (int i = 0; i < turns; i++) fprintf(out, "%s%.4g", i ? "," : "", time[s * TURNS_MOST + i]);
    fputs("]", out);
  }
}

void turns_take(pair *p, int turns, double seconds, FILE *out) {
  double took;
  int calls = enough_calls(p, &took), fit = (int)(seconds / (SIDES * took)), most = fit < turns ? turns : fit;
  if (most > TURNS_MOST) most = TURNS_MOST;
  double *own = runtime_allocate_zeroed(SIDES * TURNS_MOST * sizeof *own);
  double *longest = runtime_allocate_zeroed(SIDES * TURNS_MOST * sizeof *longest);
  side order[SIDES] = { OURS, THEIRS, AGAIN };
  uint32_t state = 1;
  for (int s = 0; s < SIDES; s++) batch(p, order[s], calls); /* warm up */
  double until = port_now() + seconds;
  for (int i = 0, late = 0; i < most; i++) {
    shuffle(order, &state);
    for (int s = 0; s < SIDES; s++) own[order[s] * TURNS_MOST + i] = batch(p, order[s], calls) / calls;
    late = port_now() > until; /* on a busy machine turns last longer than was foreseen */
    MPI_Bcast(&late, 1, MPI_INT, 0, p->comm);
    if (late && i + 1 >= turns) most = i + 1;
  }
  MPI_Reduce(own, longest, SIDES * TURNS_MOST, MPI_DOUBLE, MPI_MAX, 0, p->comm);
  int rank;
  MPI_Comm_rank(p->comm, &rank);
  if (rank == 0) {
    fprintf(out, ",\"calls\":%d", calls);
    print_times(out, most, longest);
  }
  free(own);
  free(longest);
}
