/* Non-blocking and persistent collectives by their names in Fortran. */
#include "preload/fortran.h"
#include "preload/persistent.h"

#ifdef OPEN_MPI

/* C's function makes a request; Fortran's handle is a number. */
#define MAKES(call)                                                 \
  ({                                                                \
    MPI_Request made = MPI_REQUEST_NULL;                            \
    int returned = call;                                            \
    if (returned == MPI_SUCCESS) *request = PMPI_Request_c2f(made); \
    returned;                                                       \
  })

/* clang-format off: a table */
#define BLOCKS_IN char *in, MPI_Fint *n, MPI_Fint *type, char *out, MPI_Fint *m, MPI_Fint *other
#define BLOCKS buffer_of(in), *n, TYPE(type), buffer_of(out), *m, TYPE(other)
#define VECTOR_IN char *in, char *out, MPI_Fint *n, MPI_Fint *type, MPI_Fint *op
#define VECTOR buffer_of(in), buffer_of(out), *n, TYPE(type), PMPI_Op_f2c(*op)
#define SENDS_IN char *in, MPI_Fint *n, MPI_Fint *from, MPI_Fint *type
#define SENDS buffer_of(in), n, from, TYPE(type)
#define TAKES_IN char *out, MPI_Fint *m, MPI_Fint *to, MPI_Fint *other
#define TAKES buffer_of(out), m, to, TYPE(other)
/* F(names, parameters before the last ones, arguments of C's function before the last ones) */
#define EACH(F)                                                                                                       \
  F(ibarrier, IBARRIER, Ibarrier, barrier_init, BARRIER_INIT, Barrier_init, (MPI_Fint * comm, TAIL), (COMM, LAST))    \
  F(ibcast, IBCAST, Ibcast, bcast_init, BCAST_INIT, Bcast_init,                                                       \
    (char *buffer, MPI_Fint *n, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm, TAIL),                                \
    (buffer_of(buffer), *n, TYPE(type), *root, COMM, LAST))                                                           \
  F(igather, IGATHER, Igather, gather_init, GATHER_INIT, Gather_init,                                                 \
    (BLOCKS_IN, MPI_Fint * root, MPI_Fint * comm, TAIL), (BLOCKS, *root, COMM, LAST))                                 \
  F(iscatter, ISCATTER, Iscatter, scatter_init, SCATTER_INIT, Scatter_init,                                           \
    (BLOCKS_IN, MPI_Fint * root, MPI_Fint * comm, TAIL), (BLOCKS, *root, COMM, LAST))                                 \
  F(iallgather, IALLGATHER, Iallgather, allgather_init, ALLGATHER_INIT, Allgather_init,                               \
    (BLOCKS_IN, MPI_Fint * comm, TAIL), (BLOCKS, COMM, LAST))                                                         \
  F(ialltoall, IALLTOALL, Ialltoall, alltoall_init, ALLTOALL_INIT, Alltoall_init, (BLOCKS_IN, MPI_Fint * comm, TAIL), \
    (BLOCKS, COMM, LAST))                                                                                             \
  F(ireduce, IREDUCE, Ireduce, reduce_init, REDUCE_INIT, Reduce_init,                                                 \
    (VECTOR_IN, MPI_Fint * root, MPI_Fint * comm, TAIL), (VECTOR, *root, COMM, LAST))                                 \
  F(iallreduce, IALLREDUCE, Iallreduce, allreduce_init, ALLREDUCE_INIT, Allreduce_init,                               \
    (VECTOR_IN, MPI_Fint * comm, TAIL), (VECTOR, COMM, LAST))                                                         \
  F(iscan, ISCAN, Iscan, scan_init, SCAN_INIT, Scan_init, (VECTOR_IN, MPI_Fint * comm, TAIL), (VECTOR, COMM, LAST))   \
  F(iexscan, IEXSCAN, Iexscan, exscan_init, EXSCAN_INIT, Exscan_init, (VECTOR_IN, MPI_Fint * comm, TAIL),             \
    (VECTOR, COMM, LAST))                                                                                             \
  F(ireduce_scatter_block, IREDUCE_SCATTER_BLOCK, Ireduce_scatter_block, reduce_scatter_block_init,                   \
    REDUCE_SCATTER_BLOCK_INIT, Reduce_scatter_block_init, (VECTOR_IN, MPI_Fint * comm, TAIL), (VECTOR, COMM, LAST))   \
  F(ireduce_scatter, IREDUCE_SCATTER, Ireduce_scatter, reduce_scatter_init, REDUCE_SCATTER_INIT, Reduce_scatter_init, \
    (char *in, char *out, MPI_Fint *n, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm, TAIL),                           \
    (buffer_of(in), buffer_of(out), n, TYPE(type), PMPI_Op_f2c(*op), COMM, LAST))                                     \
  F(igatherv, IGATHERV, Igatherv, gatherv_init, GATHERV_INIT, Gatherv_init,                                           \
    (char *in, MPI_Fint *n, MPI_Fint *type, TAKES_IN, MPI_Fint *root, MPI_Fint *comm, TAIL),                          \
    (buffer_of(in), *n, TYPE(type), TAKES, *root, COMM, LAST))                                                        \
  F(iscatterv, ISCATTERV, Iscatterv, scatterv_init, SCATTERV_INIT, Scatterv_init,                                     \
    (SENDS_IN, char *out, MPI_Fint *m, MPI_Fint *other, MPI_Fint *root, MPI_Fint *comm, TAIL),                        \
    (SENDS, buffer_of(out), *m, TYPE(other), *root, COMM, LAST))                                                      \
  F(iallgatherv, IALLGATHERV, Iallgatherv, allgatherv_init, ALLGATHERV_INIT, Allgatherv_init,                         \
    (char *in, MPI_Fint *n, MPI_Fint *type, TAKES_IN, MPI_Fint *comm, TAIL),                                          \
    (buffer_of(in), *n, TYPE(type), TAKES, COMM, LAST))                                                               \
  F(ialltoallv, IALLTOALLV, Ialltoallv, alltoallv_init, ALLTOALLV_INIT, Alltoallv_init,                               \
    (SENDS_IN, TAKES_IN, MPI_Fint * comm, TAIL), (SENDS, TAKES, COMM, LAST))                                          \
  F(ineighbor_allgather, INEIGHBOR_ALLGATHER, Ineighbor_allgather, neighbor_allgather_init, NEIGHBOR_ALLGATHER_INIT,  \
    Neighbor_allgather_init, (BLOCKS_IN, MPI_Fint * comm, TAIL), (BLOCKS, COMM, LAST))                                \
  F(ineighbor_allgatherv, INEIGHBOR_ALLGATHERV, Ineighbor_allgatherv, neighbor_allgatherv_init,                       \
    NEIGHBOR_ALLGATHERV_INIT, Neighbor_allgatherv_init,                                                               \
    (char *in, MPI_Fint *n, MPI_Fint *type, TAKES_IN, MPI_Fint *comm, TAIL),                                          \
    (buffer_of(in), *n, TYPE(type), TAKES, COMM, LAST))                                                               \
  F(ineighbor_alltoall, INEIGHBOR_ALLTOALL, Ineighbor_alltoall, neighbor_alltoall_init, NEIGHBOR_ALLTOALL_INIT,       \
    Neighbor_alltoall_init, (BLOCKS_IN, MPI_Fint * comm, TAIL), (BLOCKS, COMM, LAST))                                 \
  F(ineighbor_alltoallv, INEIGHBOR_ALLTOALLV, Ineighbor_alltoallv, neighbor_alltoallv_init, NEIGHBOR_ALLTOALLV_INIT,  \
    Neighbor_alltoallv_init, (SENDS_IN, TAKES_IN, MPI_Fint * comm, TAIL), (SENDS, TAKES, COMM, LAST))

#define TAIL MPI_Fint *request, MPI_Fint *error
#define LAST &made
#define NONBLOCKING(lower, UPPER, name, lower_init, UPPER_INIT, name_init, parameters, arguments) \
  FORTRAN(lower, UPPER, parameters, MAKES(MPI_##name arguments))
EACH(NONBLOCKING)
#undef TAIL
#undef LAST

FORTRAN(type_free, TYPE_FREE, (MPI_Fint * type, MPI_Fint *error), ({
          MPI_Datatype freed = TYPE(type);
          int code_ = MPI_Type_free(&freed);
          *type = PMPI_Type_c2f(freed);
          code_;
        }))
FORTRAN(op_free, OP_FREE, (MPI_Fint * op, MPI_Fint *error), ({
          MPI_Op freed = PMPI_Op_f2c(*op);
          int code_ = MPI_Op_free(&freed);
          *op = PMPI_Op_c2f(freed);
          code_;
        }))

#ifdef HAS_PERSISTENT
#define TAIL MPI_Fint *info, MPI_Fint *request, MPI_Fint *error
#define LAST PMPI_Info_f2c(*info), &made
#if OMPI_MAJOR_VERSION == 4
#define FORTRAN_INIT(...) FORTRAN_OF(mpix, MPIX, __VA_ARGS__)
#else
#define FORTRAN_INIT(...) FORTRAN_OF(mpi, MPI, __VA_ARGS__)
#endif
#define PERSISTENT(i, I, name, lower, UPPER, init, parameters, arguments) \
  FORTRAN_INIT(lower, UPPER, parameters, MAKES(FIRST_NAME(init) arguments))
EACH(PERSISTENT)

/* Handles of persistent requests stay what they are. */
static int start_all(int n, MPI_Fint *request) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
    MPI_Request started = PMPI_Request_f2c(request[i]);
    code = MPI_Start(&started);
  }
  return code;
}
FORTRAN(start, START, (MPI_Fint * request, MPI_Fint *error), start_all(1, request))
FORTRAN(startall, STARTALL, (MPI_Fint * n, MPI_Fint *request, MPI_Fint *error), start_all(*n, request))
FORTRAN(request_free, REQUEST_FREE, (MPI_Fint * request, MPI_Fint *error), ({
          MPI_Request freed = PMPI_Request_f2c(*request);
          int code_ = MPI_Request_free(&freed);
          *request = PMPI_Request_c2f(freed);
          code_;
        }))
#endif
/* clang-format on */

#endif
