/* What belongs to one of the program's communicators: a communicator of our own with the same ranks, where they sit, the calls that are
 * kept open, and what was counted. Kept as its attribute, and freed with it. */
#ifndef COLLSCOPE_PRELOAD_COMMUNICATOR_H
#define COLLSCOPE_PRELOAD_COMMUNICATOR_H

#include <mpi.h>

#include "core/runtime/bind.h"
#include "core/runtime/mpi.h"
#include "preload/counts.h"

/* What all ranks of a call agree on: the choice of an algorithm may depend on nothing else. */
typedef struct {
  coll_collective collective;
  int root;
  size_t count, elem;
  bool in_place, commutes;
  bool vector;    /* of a vector form, which is counted apart */
  size_t *displs; /* as coll_args has it, in memory of its own; NULL: blocks are as the collective has them */
} shape;

/* A call that stays open for the next one of its shape. */
typedef struct {
  shape shape;
  binding bound;
  coll_call *call;        /* NULL: it cannot be */
  MPI_Comm own;           /* of algorithms that receive from any source: no other call's messages; else MPI_COMM_NULL */
  char name[COUNTS_NAME]; /* the full key, or why not */
  int row;                /* of the counts, + 1; 0: none yet */
} kept;

/* SETS of PER_SET each, the last used first. Large calls, whose scratch is large, have a set of their own. */
enum { KEPT_SETS = 17, KEPT_PER_SET = 4 };

typedef struct communicator {
  MPI_Comm user, own;                    /* user: MPI_COMM_NULL when it was freed; own: before communicator_open */
  int rank, size, nodes, ranks_per_node; /* nodes, ranks_per_node: 0 before the survey */
  bool inter;
  const char *name;  /* of a predefined one; else "" */
  coll_place *place; /* [size]; NULL before the survey */
  int error;         /* the first that MPI reported within a call of ours */
  int failed;        /* the same of non-blocking calls */
  uint64_t calls;
  tally counts;
  kept *kept[KEPT_SETS][KEPT_PER_SET];
  struct planned *planned[KEPT_SETS][KEPT_PER_SET]; /* see preload/plans.h */
  uint64_t begun;                                   /* non-blocking calls, and persistent ones that were made */
  int operations;                                   /* of these, such as are not over: it outlives the program's */
  struct communicator *next, *previous;             /* of those that live */
} communicator;

/* Around what operations and the program both do with a communicator. enter: what is over has left its communicator then. */
typedef struct {
  void (*enter)(void), (*leave)(void);
} communicators_guard;

/* Once: before all others; and before MPI_Finalize, collective over all processes. */
void communicators_start(communicators_guard);
void communicators_end(void);
int communicators_rank_on_node(void); /* how many processes of lower rank sit on this one's */

communicator *communicator_of(MPI_Comm);        /* made at the first look-up; local. NULL: MPI_COMM_NULL */
void communicator_survey(communicator *);       /* where its ranks sit; collective, once */
bool communicator_survey_alone(communicator *); /* the same, local; false: the others would have to be asked */
const char *communicator_open(communicator *);  /* our own; collective, once. NULL, or why it cannot be */
/* Whether it is open, which all ranks see alike; NULL, or why not. Who may not wait for others asks this. */
const char *communicator_is_open(const communicator *);
void communicator_leave(
    communicator *); /* one of its operations is over; what the program has freed may be gone then */
void communicators_each(void (*)(communicator *, void *),
                        void *); /* all that live, and no other thread makes or frees one */
/* What was counted on communicators that are gone, by their shape: size, nodes, ranks_per_node, name. */
typedef struct gone {
  int size, nodes, ranks_per_node;
  const char *name;
  uint64_t communicators;
  tally counts;
  struct gone *next;
} gone;
const gone *communicators_gone(void);

#endif
