/* Requests of MPI that are over when we say so: receives, each from this process itself, with a tag of its own. They are completed by the
 * message; whatever MPI does with requests it does with these. */
#ifndef COLLSCOPE_PRELOAD_HANDLE_H
#define COLLSCOPE_PRELOAD_HANDLE_H

#include <mpi.h>
#include <stdbool.h>

void handles_start(void);
void handles_end(void);

/* An active request, or a persistent one that is not; its tag. */
int handle_begin(MPI_Request *);
int handle_make_persistent(MPI_Request *);
/* It is over. failed: whoever waits for it gets an error. */
void handle_complete(int tag, bool failed);

#endif
