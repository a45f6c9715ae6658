/* A collective call as a line of a plan says it: what is asked of the libraries that the tables are compared with. */
#ifndef COLLSCOPE_TESTS_LIBRARIES_CALLS_H
#define COLLSCOPE_TESTS_LIBRARIES_CALLS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *why, const char *what) {
  fprintf(stderr, "%s %s\n", why, what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
  char *left = in, *right = inout;
  int size;
  PMPI_Type_size(*type, &size);
  for (int i = 0; i < *n * size; i++) right[i] = (char)(right[i] + left[i]);
}

static void call(const char *name, MPI_Comm comm, int n, MPI_Datatype type, int root, MPI_Op op, int in_place) {
  int p, rank, size;
  MPI_Comm_size(comm, &p);
  MPI_Comm_rank(comm, &rank);
  MPI_Type_size(type, &size);
  size_t bytes = ((size_t)n * (size_t)p + 1) * (size_t)size;
  void *x = calloc(bytes, 1), *y = calloc(bytes, 1);
  int *counts = malloc((size_t)p * sizeof *counts);
  for (int i = 0; i < p; i++) counts[i] = n / p + (i < n % p);
  const void *in = in_place ? MPI_IN_PLACE : x, *at_root = in_place && rank == root ? MPI_IN_PLACE : x;
  if (!strcmp(name, "bcast")) MPI_Bcast(x, n, type, root, comm);
  else if (!strcmp(name, "reduce")) MPI_Reduce(at_root, y, n, type, op, root, comm);
  else if (!strcmp(name, "allreduce")) MPI_Allreduce(in, y, n, type, op, comm);
  else if (!strcmp(name, "gather")) MPI_Gather(at_root, n, type, y, n, type, root, comm);
  else if (!strcmp(name, "scatter"))
    MPI_Scatter(x, n, type, in_place && rank == root ? MPI_IN_PLACE : y, n, type, root, comm);
  else if (!strcmp(name, "allgather")) MPI_Allgather(in, n, type, y, n, type, comm);
  else if (!strcmp(name, "alltoall")) MPI_Alltoall(in, n, type, y, n, type, comm);
  else if (!strcmp(name, "reduce_scatter")) MPI_Reduce_scatter(in, y, counts, type, op, comm);
  else if (!strcmp(name, "reduce_scatter_block")) MPI_Reduce_scatter_block(in, y, n, type, op, comm);
  else if (!strcmp(name, "scan")) MPI_Scan(in, y, n, type, op, comm);
  else if (!strcmp(name, "exscan")) MPI_Exscan(in, y, n, type, op, comm);
  else if (!strcmp(name, "barrier")) MPI_Barrier(comm);
  else fail("no collective", name);
  free(x);
  free(y);
  free(counts);
}

#endif
