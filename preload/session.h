/* From MPI_Init to MPI_Finalize: what the environment chose, and which functions of MPI are looked at. */
#ifndef COLLSCOPE_PRELOAD_SESSION_H
#define COLLSCOPE_PRELOAD_SESSION_H

#include "preload/counts.h"
#include "preload/execute.h"
#include "preload/plans.h"

void session_fits(void);  /* before MPI_Init: see preload/fits.h */
void session_begin(void); /* after MPI_Init; collective. Ends the program where the environment is wrong */
void session_end(void);   /* before MPI_Finalize; collective */
void session_abort(void); /* before MPI_Abort: this process alone writes what it knows */

/* Is anything to be done in calls of this collective? One read: who interposes and did not choose pays nothing else. */
extern bool session_active[COUNTS_COLLECTIVES];
bool session_chooses(coll_collective); /* is there a choice for it? */
bool session_needs_threads(void);      /* before MPI_Init: a thread of ours will call MPI */

/* MPI made a communicator, which all its ranks do together: ours is made with it where there is a choice. Returns the code. */
extern bool session_opens;
int session_made(int code, const MPI_Comm *);

/* One call of the program. Begin: serves it, or says that MPI's own function is to be called; end: counts it. */
typedef struct {
  communicator *c; /* NULL: nothing is counted */
  kept *served;    /* NULL: no algorithm was chosen */
  planned *begun;  /* the same of a call that is not blocking */
  plans_kind kind;
  const char *why; /* NULL: served */
  size_t bytes;
  double start_s, arrived_s, skew_s, waited_s;
  bool in_place, sampled;
  bool uneven; /* ranks bring different numbers of bytes */
  int code;
} session_call;
session_call session_serve(MPI_Comm, const program_call *);
/* Begins a non-blocking call, or makes a persistent one. */
session_call session_start(MPI_Comm, const program_call *, plans_kind, MPI_Request *);
int session_done(session_call *, int collective, int root, MPI_Datatype); /* returns MPI's code */

#endif
