/* Two programs that do the same work take turns, so that slow drifts of the machine meet both. */
#ifndef COLLSCOPE_BENCH_TURNS_H
#define COLLSCOPE_BENCH_TURNS_H

#include <mpi.h>

#include "bench/exchanges.h"
#include "core/catalogue/json.h"
#include "core/runtime/mpi.h"
#include "driver/mpi/builtin.h"

enum { TURNS_MAX = 300 };

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

/* Collective over the pair's ranks. In each turn every side runs for a batch of calls, in an order that changes; at least `least`
 * turns, or as many as fit in `seconds`. At rank 0 of the pair it holds the time of a call in each batch, of the rank that took longest. */
typedef struct turn_times turn_times;
turn_times *turns_take(pair *, int least, double seconds);
void turns_print(const turn_times *, json *); /* members: calls (of a batch), and ours_s, theirs_s, again_s */
void turns_free(turn_times *);

#endif
