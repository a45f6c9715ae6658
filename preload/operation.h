/* A collective of the program that goes on while the program does something else: a non-blocking one from its start to its end, a
 * persistent one from MPI_…_init to MPI_Request_free. The caller holds the lock of preload/progress.h. */
#ifndef COLLSCOPE_PRELOAD_OPERATION_H
#define COLLSCOPE_PRELOAD_OPERATION_H

#include "preload/form.h"
#include "preload/plans.h"

typedef struct operation {
  communicator *c;
  program_call call;
  form form;
  buffers buffers;
  planned *planned;
  coll_playing *playing; /* NULL: not begun yet */
  uint64_t sequence;
  int tag; /* of its request */
  plans_kind kind;
  MPI_Request request;               /* of a persistent one that the program has not freed */
  bool active, failed;               /* failed: MPI reported an error */
  double begun_s, inside_s;          /* inside: what our functions took since it began */
  struct operation *next;            /* of those that are active; of those that are over */
  struct operation *before, *behind; /* of all */
  struct operation *same;            /* of the persistent ones whose requests fall together */
} operation;

/* On a communicator that is open; planned->plan is there. */
operation *operation_make(communicator *, const program_call *, const form *, planned *, plans_kind);
void operation_begin(operation *, coll_engine *);
/* After the engine's look. True: it is over; the program's data and its request are as it expects them. */
bool operation_end(operation *);
void operation_free(operation *);
bool operation_uses_type(const operation *, MPI_Datatype);

#endif
