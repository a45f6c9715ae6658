/* A count of a program's collective calls that owes nothing to libcollscope.so, to compare its reports with: preloaded in front of it, for C
 * and for Fortran as gfortran spells it. Each process adds its lines, "NAME CALLS", to a file of its own in the folder $COUNTED_IN. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* F(name, name in Fortran, parameters, arguments, pointers that Fortran passes). */
#define IN const void *in, int n, MPI_Datatype type
#define OUT void *out, int m, MPI_Datatype other
#define COUNTED_OUT void *out, const int *m, const int *to, MPI_Datatype other
#define COMBINED const void *in, void *out, int n, MPI_Datatype type, MPI_Op op
#define EACH(F)                                                                                                       \
  F(Barrier, barrier, (MPI_Comm c), (c), 2)                                                                           \
  F(Bcast, bcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c), (b, n, t, r, c), 6)                            \
  F(Gather, gather, (IN, OUT, int r, MPI_Comm c), (in, n, type, out, m, other, r, c), 9)                              \
  F(Scatter, scatter, (IN, OUT, int r, MPI_Comm c), (in, n, type, out, m, other, r, c), 9)                            \
  F(Allgather, allgather, (IN, OUT, MPI_Comm c), (in, n, type, out, m, other, c), 8)                                  \
  F(Alltoall, alltoall, (IN, OUT, MPI_Comm c), (in, n, type, out, m, other, c), 8)                                    \
  F(Reduce, reduce, (COMBINED, int r, MPI_Comm c), (in, out, n, type, op, r, c), 8)                                   \
  F(Allreduce, allreduce, (COMBINED, MPI_Comm c), (in, out, n, type, op, c), 7)                                       \
  F(Scan, scan, (COMBINED, MPI_Comm c), (in, out, n, type, op, c), 7)                                                 \
  F(Exscan, exscan, (COMBINED, MPI_Comm c), (in, out, n, type, op, c), 7)                                             \
  F(Reduce_scatter_block, reduce_scatter_block, (COMBINED, MPI_Comm c), (in, out, n, type, op, c), 7)                 \
  F(Reduce_scatter, reduce_scatter,                                                                                   \
    (const void *in, void *out, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm c), (in, out, n, type, op, c),  \
    7)                                                                                                                \
  F(Gatherv, gatherv, (IN, COUNTED_OUT, int r, MPI_Comm c), (in, n, type, out, m, to, other, r, c), 10)               \
  F(Scatterv, scatterv, (const void *in, const int n[], const int from[], MPI_Datatype type, OUT, int r, MPI_Comm c), \
    (in, n, from, type, out, m, other, r, c), 10)                                                                     \
  F(Allgatherv, allgatherv, (IN, COUNTED_OUT, MPI_Comm c), (in, n, type, out, m, to, other, c), 9)                    \
  F(Alltoallv, alltoallv,                                                                                             \
    (const void *in, const int n[], const int from[], MPI_Datatype type, COUNTED_OUT, MPI_Comm c),                    \
    (in, n, from, type, out, m, to, other, c), 10)

#define NUMBER(name, lower, parameters, arguments, pointers) CALL_##lower,
enum { EACH(NUMBER) CALLS };
#define NAME(name, lower, parameters, arguments, pointers) #lower,
static const char *const names[CALLS] = { EACH(NAME) };
static long calls[CALLS];
static int inside; /* an MPI library's Fortran functions, and libcollscope.so's, may go through those for C */

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found) return found;
  fprintf(stderr, "call_counter: %s: not found\n", name);
  abort();
}

#define FOR_C(name, lower, parameters, arguments, pointers) \
  int MPI_##name parameters {                               \
    static int(*own) parameters;                            \
    if (!own) own = (int(*) parameters)next("MPI_" #name);  \
    if (!inside++) calls[CALL_##lower]++;                   \
    int code = own arguments;                               \
    inside--;                                               \
    return code;                                            \
  }
EACH(FOR_C)

#define P2 void *a, void *b
#define A2 a, b
#define P6 P2, void *d, void *e, void *f, void *g
#define A6 A2, d, e, f, g
#define P7 P6, void *h
#define A7 A6, h
#define P8 P7, void *i
#define A8 A7, i
#define P9 P8, void *j
#define A9 A8, j
#define P10 P9, void *k
#define A10 A9, k
#define FORTRAN(symbol, lower, pointers)                  \
  void symbol(P##pointers) {                              \
    static void (*own)(P##pointers);                      \
    if (!own) own = (void (*)(P##pointers))next(#symbol); \
    if (!inside++) calls[CALL_##lower]++;                 \
    own(A##pointers);                                     \
    inside--;                                             \
  }
#define FOR_FORTRAN(name, lower, parameters, arguments, pointers) \
  FORTRAN(mpi_##lower##_, lower, pointers)                        \
  FORTRAN(ompi_##lower##_f, lower, pointers)
EACH(FOR_FORTRAN)

__attribute__((destructor)) static void write_counts(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%ld", getenv("COUNTED_IN"), (long)getpid());
  long all = 0;
  for (int i = 0; i < CALLS; i++) all += calls[i];
  FILE *out = all ? fopen(path, "w") : NULL; /* the program's shells and launchers make no calls */
  for (int i = 0; out && i < CALLS; i++)
    if (calls[i]) fprintf(out, "%s %ld\n", names[i], calls[i]);
  if (out) fclose(out);
}
