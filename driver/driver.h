/* The benchmark program: the same source simulated and real. */
#ifndef COLLSCOPE_DRIVER_H
#define COLLSCOPE_DRIVER_H

#include <mpi.h>
#include <stdio.h>

#include "collscope.h"
#include "plan.h"

/* ---- types.c: MPI's handles for a plan's types and operators. Each rank has its own (no globals: SMPI runs all ranks in one
 * process). Pairs that MPI does not know by itself are made once. */
typedef struct {
  MPI_Datatype type[PLAN_TYPES];
  MPI_Op op[PLAN_OPS];
} types;
void types_make(types *);
void types_free(types *);
/* right = left op right on n elements, by plain C: the reference. */
void types_apply(plan_type, plan_op, const void *left, void *right, size_t n);
/* Elements first … first+n-1 of rank's input to a reduction: small whole numbers, so that sums and products are exact in every type. */
void types_values(plan_type, plan_op, int rank, size_t first, size_t n, void *elements);

/* ---- verify.c: buffers of one call at one rank, with guards around what is written. */
typedef struct {
  const void *in;
  void *out;
  char *in_block, *out_block;     /* as allocated */
  size_t in_bytes, out_bytes;
} buffers;
void buffers_make(buffers *, coll_collective, const coll_args *, int rank);
void buffers_free(buffers *);
/* Distinct values by rank and index in, poison out. */
void buffers_fill(buffers *, coll_collective, const coll_args *, int rank, plan_type, plan_op);
/* The number of wrong elements at this rank, damaged guards and a changed `in` counted as one each. Says on standard error what
 * is wrong first, when `what` is not NULL. */
size_t buffers_check(const buffers *, coll_collective, const coll_args *, int rank, plan_type, plan_op, const char *what);

/* ---- builtin.c: MPI's own function. Returns false where MPI has none. */
bool builtin_run(MPI_Comm, coll_collective, const coll_args *, MPI_Datatype, MPI_Op);

/* ---- measure.c */
typedef struct {
  MPI_Comm world;
  int rank, size;
  coll_place *place;              /* [size] */
  MPI_Comm *first;                /* [size+1] the first p ranks; MPI_COMM_NULL until asked for, or for others */
  bool *made;                     /* [size+1] */
  types types;
  FILE *out;                      /* rank 0's JSON lines */
} driver;
MPI_Comm driver_first(driver *, int ranks);        /* collective over the world */
void measure_point(driver *, const plan_point *);  /* collective over the world */

/* ---- walk.c: every registered algorithm over many calls, data checked. Returns the number of wrong calls on rank 0. */
typedef struct {
  const char *algorithm;          /* only keys that begin so; NULL: all */
  int max_roots;                  /* with more ranks than this, only three roots; 0: every root */
  int part, parts;                /* every parts-th algorithm, from the part-th; parts 0: all */
} walk_options;
size_t walk(driver *, const walk_options *);

#endif
