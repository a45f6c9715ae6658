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
  MPI_Comm user, own;                    /* own: MPI_COMM_NULL before communicator_open */
  int rank, size, nodes, ranks_per_node; /* nodes, ranks_per_node: 0 before the survey */
  bool inter;
  const char *name;  /* of a predefined one; else "" */
  coll_place *place; /* [size]; NULL before the survey */
  int error;         /* the first that MPI reported within a call of ours */
  uint64_t calls;
  tally counts;
  kept *kept[KEPT_SETS][KEPT_PER_SET];
  struct communicator *next, *previous; /* of those that live */
} communicator;

/* Once: before all others; and before MPI_Finalize, collective over all processes. */
void communicators_start(bool places);
void communicators_end(void);

communicator *communicator_of(MPI_Comm);       /* made at the first look-up; local. NULL: MPI_COMM_NULL */
void communicator_survey(communicator *);      /* where its ranks sit; collective, once */
const char *communicator_open(communicator *); /* our own; collective, once. NULL, or why it cannot be */
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
