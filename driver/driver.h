/* The benchmark program: the same source simulated and real. */
#ifndef COLLSCOPE_DRIVER_DRIVER_H
#define COLLSCOPE_DRIVER_DRIVER_H

#include <mpi.h>
#include <stdio.h>

#include "collscope.h"
#include "core/runtime/mpi.h"
#include "core/runtime/observe.h"
#include "core/plan/plan.h"
#include "driver/check/values.h"
#include "driver/check/verify.h"

/* ---- types.c: MPI's handles for a plan's types and operators. Each rank has its own (no globals: SMPI runs all ranks in one
 * process). Pairs that MPI does not know by itself are made once. */
typedef struct {
  MPI_Datatype type[PLAN_TYPES];
  MPI_Op op[PLAN_OPS];
} types;
void types_make(types *);
void types_free(types *);

/* ---- builtin.c: MPI's own function, planned: what MPI wants to be told another way is worked out before it is timed. */
typedef struct {
  MPI_Comm comm;
  coll_collective collective;
  int n, root;
  MPI_Datatype type;
  MPI_Op op;
  const void *in;                 /* or MPI_IN_PLACE, as out for scatter */
  void *out;
  int *counts;                    /* [size] of reduce_scatter */
} builtin;
bool builtin_open(builtin *, MPI_Comm, coll_collective, const coll_args *, MPI_Datatype, MPI_Op);   /* false: MPI has none */
void builtin_run(const builtin *);
void builtin_close(builtin *);

/* ---- measure.c */
typedef struct {
  MPI_Comm world;
  int rank, size;
  coll_place *place;              /* [size] */
  MPI_Comm *first;                /* [size+1] the first p ranks; MPI_COMM_NULL until asked for, or for others */
  bool *made;                     /* [size+1] */
  types types;
  FILE *out;                      /* rank 0's JSON lines */
  bool trace;                     /* every operation of every rank is noted and printed, too */
} driver;
MPI_Comm driver_first(driver *, int ranks);        /* collective over the world */
void measure_point(driver *, const plan_point *);  /* collective over the world */

/* ---- trace.c: what an observer has noted, as JSON lines: one for each repetition and rank.
 *   {"id":"7","trace":0,"rank":3,"start_s":0,"end_s":2e-5,"clock_error_s":0,"events":[["send",4,0,1024,1e-6,9e-6,9e-6], …]}
 * An event is [operation, peer, label, bytes, begin, end, done]: see operations/observe.h. All times of a repetition are from one
 * instant, when its first rank began, on the clock of rank 0; clock_error_s: by how much this rank's times may be off it. */
typedef struct { double start, end; } trace_bounds;    /* of a repetition at this rank, on its own clock */
/* Collective over comm; bounds: [repetitions]. */
void trace_print(FILE *out, MPI_Comm comm, const char *id, const coll_observer *, const trace_bounds *, int repetitions);

/* ---- barrier.c: how often this rank left a barrier before all had come, while each rank in turn came late. Collective. Says on
 * standard error what is wrong first, when `what` is not NULL. */
size_t barrier_check(MPI_Comm, coll_call *, const char *what);

/* ---- walk.c: every registered algorithm over many calls, data checked. Returns the number of wrong calls on rank 0. */
typedef struct {
  const char *algorithm;          /* only keys that begin so; NULL: all */
  int max_roots;                  /* with more ranks than this, only three roots; 0: every root */
  int part, parts;                /* every parts-th algorithm, from the part-th; parts 0: all */
} walk_options;
size_t walk(driver *, const walk_options *);

#endif
