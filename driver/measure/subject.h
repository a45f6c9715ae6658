/* What a point runs: an algorithm of ours, or MPI's own function. */
#ifndef COLLSCOPE_DRIVER_MEASURE_SUBJECT_H
#define COLLSCOPE_DRIVER_MEASURE_SUBJECT_H

#include "core/plan/plan.h"
#include "core/runtime/mpi.h"
#include "driver/launch.h"
#include "driver/mpi/builtin.h"

enum { SUBJECT_TEXT = 320 };

typedef struct {
  MPI_Comm comm;
  coll_collective collective;
  coll_args args;
  const coll_alg *alg; /* NULL: MPI's own */
  coll_call *call;
  coll_observer *observer; /* NULL: nobody asked what happens inside */
  builtin builtin;         /* if alg is NULL */
  MPI_Datatype type;
  MPI_Op op;
  long param[COLL_PARAMS];
  struct coll_call *barrier; /* before each call of osu_avg; NULL: MPI's own */
  MPI_Comm barrier_comm;
  long barrier_param[COLL_PARAMS];
  coll_args barrier_args;
  const coll_alg *barrier_alg;
  char chose[SUBJECT_TEXT]; /* the full key of what a decision picked */
} subject;

/* Finds what the point names, for the first `ranks` ranks, which call this together; trace: it will be observed. Returns NULL, or
 * the reason why it cannot run, in reason[size]. Args point into the subject: it must not be copied. */
const char *subject_find(subject *, launch *, const plan_point *, int ranks, bool trace, char *reason, size_t size);
/* Plans the call, whose buffers stand in args by now. */
void subject_open(subject *, bool trace);
void subject_renew(const subject *); /* see coll_renew; nothing where the library's own call is timed */
void subject_run(const subject *);
void subject_barrier(const subject *); /* before a call of metric osu_avg */
void subject_close(subject *);

#endif
