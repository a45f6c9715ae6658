/* A collective call as a line of a plan says it: what is asked of the libraries that algorithms are compared with. Needs nothing but
 * MPI, so that it can be built with any library. */
#ifndef COLLSCOPE_VALIDATE_TWINS_CALLS_H
#define COLLSCOPE_VALIDATE_TWINS_CALLS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void fail(const char *why, const char *what) {
  fprintf(stderr, "%s %s\n", why, what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static inline void *zeroed(size_t elements, size_t size) {
  void *p = calloc(elements + 1, size);
  if (!p) fail("out of memory for", "a call");
  return p;
}

/* A sum of bytes whose order the library must keep. */
static inline void add(void *in, void *inout, int *n, MPI_Datatype *type) {
  char *left = in, *right = inout;
  int size;
  PMPI_Type_size(*type, &size);
  for (int i = 0; i < *n * size; i++) right[i] = (char)(right[i] + left[i]);
}

/* Returns what MPI returns: some algorithms refuse some calls. */
static inline int call(const char *name, MPI_Comm comm, int n, MPI_Datatype type, int root, MPI_Op op, int in_place) {
  int p, rank, size;
  MPI_Comm_size(comm, &p);
  MPI_Comm_rank(comm, &rank);
  MPI_Type_size(type, &size);
  void *x = zeroed((size_t)n * (size_t)p, (size_t)size), *y = zeroed((size_t)n * (size_t)p, (size_t)size);
  int *counts = zeroed((size_t)p, sizeof *counts), failed = MPI_SUCCESS;
  for (int i = 0; i < p; i++) counts[i] = n / p + (i < n % p);
  const void *in = in_place ? MPI_IN_PLACE : x, *at_root = in_place && rank == root ? MPI_IN_PLACE : x;
  if (!strcmp(name, "bcast")) failed = MPI_Bcast(x, n, type, root, comm);
  else if (!strcmp(name, "reduce")) failed = MPI_Reduce(at_root, y, n, type, op, root, comm);
  else if (!strcmp(name, "allreduce")) failed = MPI_Allreduce(in, y, n, type, op, comm);
  else if (!strcmp(name, "gather")) failed = MPI_Gather(at_root, n, type, y, n, type, root, comm);
  else if (!strcmp(name, "scatter"))
    failed = MPI_Scatter(x, n, type, in_place && rank == root ? MPI_IN_PLACE : y, n, type, root, comm);
  else if (!strcmp(name, "allgather")) failed = MPI_Allgather(in, n, type, y, n, type, comm);
  else if (!strcmp(name, "alltoall")) failed = MPI_Alltoall(in, n, type, y, n, type, comm);
  else if (!strcmp(name, "reduce_scatter")) failed = MPI_Reduce_scatter(in, y, counts, type, op, comm);
  else if (!strcmp(name, "reduce_scatter_block")) failed = MPI_Reduce_scatter_block(in, y, n, type, op, comm);
  else if (!strcmp(name, "scan")) failed = MPI_Scan(in, y, n, type, op, comm);
  else if (!strcmp(name, "exscan")) failed = MPI_Exscan(in, y, n, type, op, comm);
  else if (!strcmp(name, "barrier")) failed = MPI_Barrier(comm);
  else fail("no collective", name);
  free(x);
  free(y);
  free(counts);
  return failed;
}

#endif
