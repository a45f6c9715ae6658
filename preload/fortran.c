/* Collectives by their names in Fortran. */
#include "preload/fortran.h"

#ifdef OPEN_MPI

/* clang-format off: a table */
FORTRAN(barrier, BARRIER, (MPI_Fint * comm, MPI_Fint *error), MPI_Barrier(COMM))
FORTRAN(bcast, BCAST, (char *buffer, MPI_Fint *n, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error),
        MPI_Bcast(buffer_of(buffer), *n, TYPE(type), *root, COMM))
FORTRAN(gather, GATHER,
        (char *in, MPI_Fint *n, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *other, MPI_Fint *root, MPI_Fint *comm,
         MPI_Fint *error),
        MPI_Gather(buffer_of(in), *n, TYPE(type), buffer_of(out), *m, TYPE(other), *root, COMM))
FORTRAN(scatter, SCATTER,
        (char *in, MPI_Fint *n, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *other, MPI_Fint *root, MPI_Fint *comm,
         MPI_Fint *error),
        MPI_Scatter(buffer_of(in), *n, TYPE(type), buffer_of(out), *m, TYPE(other), *root, COMM))
FORTRAN(allgather, ALLGATHER,
        (char *in, MPI_Fint *n, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *other, MPI_Fint *comm,
         MPI_Fint *error),
        MPI_Allgather(buffer_of(in), *n, TYPE(type), buffer_of(out), *m, TYPE(other), COMM))
FORTRAN(alltoall, ALLTOALL,
        (char *in, MPI_Fint *n, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *other, MPI_Fint *comm,
         MPI_Fint *error),
        MPI_Alltoall(buffer_of(in), *n, TYPE(type), buffer_of(out), *m, TYPE(other), COMM))
FORTRAN(reduce, REDUCE,
        (char *in, char *out, MPI_Fint *n, MPI_Fint *type, MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm,
         MPI_Fint *error),
        MPI_Reduce(buffer_of(in), buffer_of(out), *n, TYPE(type), PMPI_Op_f2c(*op), *root, COMM))
#define COMBINES(lower, UPPER, function)                                                                     \
  FORTRAN(lower, UPPER,                                                                                      \
          (char *in, char *out, MPI_Fint *n, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *error), \
          function(buffer_of(in), buffer_of(out), *n, TYPE(type), PMPI_Op_f2c(*op), COMM))
COMBINES(allreduce, ALLREDUCE, MPI_Allreduce)
COMBINES(scan, SCAN, MPI_Scan)
COMBINES(exscan, EXSCAN, MPI_Exscan)
COMBINES(reduce_scatter_block, REDUCE_SCATTER_BLOCK, MPI_Reduce_scatter_block)
FORTRAN(reduce_scatter, REDUCE_SCATTER,
        (char *in, char *out, MPI_Fint *n, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *error),
        MPI_Reduce_scatter(buffer_of(in), buffer_of(out), n, TYPE(type), PMPI_Op_f2c(*op), COMM))
FORTRAN(gatherv, GATHERV,
        (char *in, MPI_Fint *n, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *at, MPI_Fint *other, MPI_Fint *root,
         MPI_Fint *comm, MPI_Fint *error),
        MPI_Gatherv(buffer_of(in), *n, TYPE(type), buffer_of(out), m, at, TYPE(other), *root, COMM))
FORTRAN(scatterv, SCATTERV,
        (char *in, MPI_Fint *n, MPI_Fint *at, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *other, MPI_Fint *root,
         MPI_Fint *comm, MPI_Fint *error),
        MPI_Scatterv(buffer_of(in), n, at, TYPE(type), buffer_of(out), *m, TYPE(other), *root, COMM))
FORTRAN(allgatherv, ALLGATHERV,
        (char *in, MPI_Fint *n, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *at, MPI_Fint *other, MPI_Fint *comm,
         MPI_Fint *error),
        MPI_Allgatherv(buffer_of(in), *n, TYPE(type), buffer_of(out), m, at, TYPE(other), COMM))
FORTRAN(alltoallv, ALLTOALLV,
        (char *in, MPI_Fint *n, MPI_Fint *from, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *to, MPI_Fint *other,
         MPI_Fint *comm, MPI_Fint *error),
        MPI_Alltoallv(buffer_of(in), n, from, TYPE(type), buffer_of(out), m, to, TYPE(other), COMM))
#define NEIGHBOURS(lower, UPPER, function)                                                                 \
  FORTRAN(lower, UPPER,                                                                                    \
          (char *in, MPI_Fint *n, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *other, MPI_Fint *comm, \
           MPI_Fint *error),                                                                               \
          function(buffer_of(in), *n, TYPE(type), buffer_of(out), *m, TYPE(other), COMM))
NEIGHBOURS(neighbor_allgather, NEIGHBOR_ALLGATHER, MPI_Neighbor_allgather)
NEIGHBOURS(neighbor_alltoall, NEIGHBOR_ALLTOALL, MPI_Neighbor_alltoall)
FORTRAN(neighbor_allgatherv, NEIGHBOR_ALLGATHERV,
        (char *in, MPI_Fint *n, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *at, MPI_Fint *other, MPI_Fint *comm,
         MPI_Fint *error),
        MPI_Neighbor_allgatherv(buffer_of(in), *n, TYPE(type), buffer_of(out), m, at, TYPE(other), COMM))
FORTRAN(neighbor_alltoallv, NEIGHBOR_ALLTOALLV,
        (char *in, MPI_Fint *n, MPI_Fint *from, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *to, MPI_Fint *other,
         MPI_Fint *comm, MPI_Fint *error),
        MPI_Neighbor_alltoallv(buffer_of(in), n, from, TYPE(type), buffer_of(out), m, to, TYPE(other), COMM))
FORTRAN(init, INIT, (MPI_Fint * error), MPI_Init(&(int){ 0 }, &(char **){ 0 }))
FORTRAN(init_thread, INIT_THREAD, (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *error),
        MPI_Init_thread(&(int){ 0 }, &(char **){ 0 }, *required, provided))
FORTRAN(finalize, FINALIZE, (MPI_Fint * error), MPI_Finalize())
FORTRAN(abort, ABORT, (MPI_Fint * comm, MPI_Fint *status, MPI_Fint *error), MPI_Abort(COMM, *status))
/* clang-format on */

#endif
