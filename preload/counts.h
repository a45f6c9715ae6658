/* What ran on a communicator, and what was passed on and why: one row per collective, size class, and algorithm or reason. */
#ifndef COLLSCOPE_PRELOAD_COUNTS_H
#define COLLSCOPE_PRELOAD_COUNTS_H

#include <mpi.h>

#include "collscope.h"

enum { COUNTS_NAME = 160, COUNTS_CLASSES = 65 };

/* The catalogue's collectives, and others; then both once more for each form. */
enum {
  COUNTS_ALLTOALLW = COLL_COLLECTIVES,
  COUNTS_NEIGHBOR_ALLGATHER,
  COUNTS_NEIGHBOR_ALLGATHERV,
  COUNTS_NEIGHBOR_ALLTOALL,
  COUNTS_NEIGHBOR_ALLTOALLV,
  COUNTS_NEIGHBOR_ALLTOALLW,
  COUNTS_NONBLOCKING,                         /* MPI_Ibcast … */
  COUNTS_PERSISTENT = 2 * COUNTS_NONBLOCKING, /* MPI_Bcast_init … */
  COUNTS_COLLECTIVES = 3 * COUNTS_NONBLOCKING
};
const char *counts_collective_name(int collective);
/* Why functions are always passed on: all ranks must agree on what is called, and of vector forms they cannot without asking each other. */
extern const char counts_root_alone[], counts_own_alone[], counts_neighbours[];

typedef struct {
  int collective;
  int size_class;         /* 0: no bytes; c: from 2^(c-1) to 2^c - 1 bytes */
  char name[COUNTS_NAME]; /* the full key of the algorithm, or the reason why MPI's own function was called */
  bool passed;
  uint64_t calls, bytes, in_place;
  /* Of calls whose ranks bring different counts: bytes of a rank, the fewest and the most; the size class is 0, so that all ranks count
   * a call in one row. */
  bool uneven;
  uint64_t fewest, most;
  double seconds;
  /* Non-blocking calls by algorithms, and starts of persistent ones, that are over: how many, and from start to end. */
  uint64_t over;
  double over_s;
  int root;                       /* -1: without a root; -2: several */
  char type[MPI_MAX_OBJECT_NAME]; /* by its name, "several", or "derived" */
  MPI_Datatype last;
  /* Arrival of the ranks, in the calls that were sampled: how long the first waited for the last, and how long this rank did. */
  uint64_t samples;
  double skew_s, max_skew_s, waited_s, sampling_s;
} row;

typedef struct {
  int row; /* its number from 1; 0: none */
  const char *name;
} counts_found;

typedef struct {
  row *rows;
  int n, capacity;
  counts_found *found; /* [COUNTS_COLLECTIVES × COUNTS_CLASSES] the last that was found; NULL: none was */
} tally;

int counts_size_class(size_t bytes);
/* The row, made at its first call; valid until the next is made. name: see row; a constant, so that it is found again by its address. */
row *counts_row(tally *, int collective, size_t bytes, const char *name, bool passed);
/* The same where the caller keeps the row's number: *number is 0 at first. */
row *counts_numbered(tally *, int *number, int collective, size_t bytes, const char *name, bool passed);
void counts_uneven(row *, uint64_t fewest, uint64_t most);
void counts_type(row *, MPI_Datatype);
void counts_root(row *, int root);
void counts_add(tally *into, const row *); /* to the row of the same collective, class and name */
void counts_free(tally *);

#endif
