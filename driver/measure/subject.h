/* What a point runs: an algorithm of ours, or MPI's own function. */
#ifndef COLLSCOPE_DRIVER_MEASURE_SUBJECT_H
#define COLLSCOPE_DRIVER_MEASURE_SUBJECT_H

#include "core/plan/plan.h"
#include "core/runtime/bind.h"
#include "core/runtime/mpi.h"
#include "driver/launch.h"
#include "driver/measure/nonblocking.h"

enum { SUBJECT_TEXT = BIND_TEXT };

typedef struct {
  MPI_Comm comm;
  MPI_Comm apart; /* of an algorithm that receives from any source; else MPI_COMM_NULL */
  coll_collective collective;
  binding bound;  /* without an algorithm: MPI's own function */
  size_t *displs; /* what args.displs points to */
  coll_call *call;
  coll_observer *observer;   /* NULL: nobody asked what happens inside */
  builtin builtin;           /* if there is no algorithm */
  nonblocking *nonblocking;  /* the call in place of both, where that is the metric */
  struct coll_call *barrier; /* before each call of osu_avg; NULL: MPI's own */
  MPI_Comm barrier_comm;
  binding barrier_bound;
} subject;

/* Finds what the point names, for the first `ranks` ranks, which call this together; trace: it will be observed. Returns NULL, or
 * the reason why it cannot run, in reason[size]. Args point into the subject: it must not be copied. Where there
 * is a reason there is nothing to close. */
const char *subject_find(subject *, launch *, const plan_point *, int ranks, bool trace, char *reason, size_t size);
/* Plans the call, whose buffers stand in args by now. */
void subject_open(subject *, const plan_point *, bool trace);
void subject_renew(const subject *); /* see coll_renew; nothing where the library's own call is timed */
void subject_run(const subject *);
void subject_barrier(const subject *); /* before a call of metric osu_avg */
void subject_close(subject *);

#endif
