/* Communicators of our own, whose messages and errors are ours. */
#ifndef COLLSCOPE_PRELOAD_OWN_H
#define COLLSCOPE_PRELOAD_OWN_H

#include "preload/communicator.h"

/* This thread advances non-blocking calls, and errors are theirs. */
extern _Thread_local bool own_advances;

void own_start(void); /* before all others */
void own_end(void);   /* after all others */
/* One with the ranks of the program's communicator; collective. Errors on it are noted in c->error. MPI_COMM_NULL: MPI has no more. */
MPI_Comm own_make(communicator *c);

#endif
