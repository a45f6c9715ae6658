/* What this rank does in a non-blocking call: one plan per shape, algorithm and place of its buffers, kept with the communicator. Local:
 * ranks need not keep the same ones. The caller holds the lock of preload/progress.h. */
#ifndef COLLSCOPE_PRELOAD_PLANS_H
#define COLLSCOPE_PRELOAD_PLANS_H

#include "core/nonblocking/play.h"
#include "preload/communicator.h"

/* Non-blocking calls and persistent ones are counted apart. */
typedef enum { PLANS_NONBLOCKING, PLANS_PERSISTENT, PLANS_KINDS } plans_kind;

typedef struct planned {
  shape shape;
  bool in_place;
  coll_plan *plan;        /* NULL: it cannot be played */
  char name[COUNTS_NAME]; /* the full key, or why not */
  int users;              /* operations */
  bool dropped;           /* it goes with its last user */
  coll_playing *idle;     /* a call that is over, for the next one of this type and operator; NULL: none */
  MPI_Datatype type;
  MPI_Op op;
  int row[PLANS_KINDS]; /* of the counts, + 1; 0: none yet */
  struct {
    uint64_t calls;
    double took_s, inside_s; /* from their start to their end; of this in our functions */
  } over[PLANS_KINDS];       /* calls that are over and not yet counted */
} planned;

planned *plans_find(communicator *, const shape *, bool in_place, const char *key); /* never NULL */
void plans_leave(communicator *, planned *);                                        /* one user less */
void plans_drop(communicator *, planned *);                                         /* NULL: nothing happens */
void plans_count(communicator *); /* adds what is over to the counts */

#endif
