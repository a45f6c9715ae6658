/* Exchanges between two ranks: each operation of ours beside what an MPI programmer would write. */
#ifndef COLLSCOPE_BENCH_EXCHANGES_H
#define COLLSCOPE_BENCH_EXCHANGES_H

#include <mpi.h>

#include "collscope.h"

/* A call of n floats in plain MPI, at one of the two ranks of comm. */
typedef struct {
  int rank, n;
  const void *in;
  void *out;
  MPI_Comm comm;
} plain;

/* Two ranks that exchange blocks have rotated them, so the data can be checked as that. */
typedef struct {
  coll_alg alg;
  void (*plain)(const plain *);
  int messages; /* one after the other */
} exchange;

const exchange *exchange_find(const char *key); /* NULL: none of that key */

#endif
