/* Who advances the program's non-blocking calls, and when.
 *   MPI's own waiting   where the library calls us back while it waits (Open MPI): any blocking or testing function of MPI
 *   our functions       elsewhere: MPI_Wait…, MPI_Test…, and those of preload/wait.c
 *   a thread            COLLSCOPE_PROGRESS=thread, with MPI_THREAD_MULTIPLE */
#ifndef COLLSCOPE_PRELOAD_PROGRESS_H
#define COLLSCOPE_PRELOAD_PROGRESS_H

#include <stdatomic.h>

#include "preload/operation.h"

/* Operations under way that our functions are to advance. One read: at 0 MPI's function does it all. */
extern atomic_int progress_waits;

/* counts: time is taken. cpu: of the thread, COLLSCOPE_PROGRESS=thread[cpu=N] and this rank's place on its node; -1: any; NO_THREAD: no
 * thread. */
enum { PROGRESS_NO_THREAD = -2 };
void progress_start(bool counts, int cpu);
void progress_end(void); /* nothing of the program is under way */

/* The lock of all operations and plans, which a thread may enter again. Within it messages are advanced by nobody. */
void progress_enter(void);
void progress_enter_tidy(void); /* and frees what is over */
void progress_leave(void);

/* Within the lock: an operation begins, or becomes known. */
void progress_begin(operation *);
void progress_know(operation *);
extern atomic_int progress_persistent; /* how many persistent ones there are */
operation *progress_of(MPI_Request);   /* the one with this request; NULL: none */
void progress_release(operation *);    /* the program freed its request */
/* Frees what is over and what the program freed meanwhile. */
void progress_tidy(void);

/* Are there any operations? One read; then the program's types and operators are freed when none of them uses them any more. */
extern atomic_int progress_known;
void progress_free_type(MPI_Datatype);
void progress_free_operator(MPI_Op);

/* Looks once. How many operations ended. */
int progress_look(void);

#endif
