/* Two programs that do the same work take turns, so that slow drifts of the machine meet both. */
#ifndef COLLSCOPE_BENCH_TURNS_H
#define COLLSCOPE_BENCH_TURNS_H

#include <mpi.h>
#include <stdio.h>

#include "bench/exchanges.h"
#include "core/runtime/mpi.h"
#include "driver/mpi/builtin.h"

enum { TURNS_MOST = 300 };

/* The third side is the second once more: what differs between these two is the machine's noise. */
typedef enum { OURS, THEIRS, AGAIN, SIDES } side;

/* One pair: a call of ours, and what it is compared with. */
typedef struct {
  const coll_alg *alg;
  coll_args args;
  long param[COLL_PARAMS];
  coll_call *call;
  builtin builtin; /* theirs: this, */
  void (*plain)(const plain *);
  plain exchange; /* or this */
  MPI_Comm comm;
  int messages; /* 0: not known here */
} pair;

void turns_run(const pair *, side); /* a call of this side */
/* Collective over the pair's ranks. In each turn every side runs for a batch of calls, in an order that changes; at least `turns`
 * turns, or as many as fit in `seconds`. Rank 0 of the pair prints JSON members: calls (of a batch), and ours_s, theirs_s, again_s:
 * the time of a call in each batch, of the rank that took longest. */
void turns_take(pair *, int turns, double seconds, FILE *out);

#endif
