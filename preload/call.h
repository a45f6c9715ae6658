/* A call of MPI by the program, as it gives it. */
#ifndef COLLSCOPE_PRELOAD_CALL_H
#define COLLSCOPE_PRELOAD_CALL_H

#include <mpi.h>
#include <string.h>

#include "preload/communicator.h"

/* A buffer as the program gives it; count is what MPI calls it: elements for each rank, or of the whole vector. */
typedef struct {
  const void *buffer; /* or MPI_IN_PLACE */
  size_t count;
  MPI_Datatype type;
} side;

/* An array that has a number for each rank, of the type that the function has; NULL: none. */
typedef struct {
  const void *array;
  size_t each; /* bytes: sizeof(int), or those of MPI_Count and MPI_Aint, which are as many */
} per_rank;

static inline bool per_rank_given(per_rank a) { return a.array; }
static inline int64_t per_rank_at(per_rank a, int i) {
  int64_t number;
  if (a.each == sizeof(int)) return ((const int *)a.array)[i];
  memcpy(&number, (const char *)a.array + (size_t)i * sizeof number, sizeof number);
  return number;
}
_Static_assert(sizeof(MPI_Count) == sizeof(int64_t) && sizeof(MPI_Aint) == sizeof(int64_t), "per_rank");

typedef struct {
  coll_collective collective;
  int root;     /* 0 where the collective has no root */
  side in, out; /* bcast: both are its buffer */
  MPI_Op op;
  per_rank at;     /* of a vector form: where each block lies in out, in elements */
  per_rank counts; /* elements of each block, where they need not be of one size */
  const char *why; /* no algorithm can serve it; NULL: one may */
  size_t bytes;    /* then: that this rank brings */
  bool uneven;     /* others may bring another number */
} program_call;

bool call_in_place(const side *);
/* Do both sides share a buffer at this rank, as the algorithm sees it? */
bool call_is_in_place(const communicator *, const program_call *);
/* Does this rank bring data; does it end with some? */
bool call_has_input(const communicator *, const program_call *);
bool call_has_output(const communicator *, const program_call *);
/* Bytes of the call's count: of a block or of the vector, as the catalogue has it. */
size_t call_bytes(const communicator *, const program_call *);
/* NULL, or what MPI's own function is to complain about. */
const char *call_refuses(const communicator *, const program_call *);

/* Elements of rank i's block of out, and of those of all ranks before it. */
static inline size_t call_block(const program_call *p, int i) {
  return per_rank_given(p->counts) ? (size_t)per_rank_at(p->counts, i) : p->out.count;
}
size_t call_before(const program_call *, int i);
/* To how many ranks this one sends in a neighbourhood collective. */
int call_neighbours(MPI_Comm);

#endif
