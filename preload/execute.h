/* A call of MPI by the program, served by an algorithm. */
#ifndef COLLSCOPE_PRELOAD_EXECUTE_H
#define COLLSCOPE_PRELOAD_EXECUTE_H

#include "preload/call.h"

/* Runs it on an open communicator; collective. *served: what was chosen; where its `call` is NULL nothing ran, and it says why. Returns
 * MPI's code. */
int execute(communicator *, const program_call *, const char *key, kept **served);

#endif
