/* MPI's collective functions that only begin a call: non-blocking ones, and those that make persistent requests. */
#include "preload/interposed.h"

/* F(of the non-blocking function, of the persistent one, collective, parameters, arguments, the call, its root, its type) */
#define BLOCKS_IN const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other
#define BLOCKS in, n, type, out, m, other
#define VECTOR_IN const void *in, void *out, int n, MPI_Datatype type, MPI_Op op
#define VECTOR in, out, n, type, op
#define COMBINES(F, i, init, K) \
  F(i, init, K, (VECTOR_IN, MPI_Comm comm, TAIL), (VECTOR, comm, LAST), call_combines(COLL_##K, VECTOR, 0), -1, type)
#define EACH(F)                                                                                              \
  F(Ibarrier, Barrier_init, BARRIER, (MPI_Comm comm, TAIL), (comm, LAST),                                    \
    ((program_call){ .collective = COLL_BARRIER }), -1, MPI_DATATYPE_NULL)                                   \
  F(Ibcast, Bcast_init, BCAST, (void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm, TAIL),      \
    (buffer, n, type, root, comm, LAST), call_bcast(buffer, n, type, root), root, type)                      \
  F(Igather, Gather_init, GATHER, (BLOCKS_IN, int root, MPI_Comm comm, TAIL), (BLOCKS, root, comm, LAST),    \
    call_blocks(COLL_GATHER, BLOCKS, root), root, p.in.type)                                                 \
  F(Iscatter, Scatter_init, SCATTER, (BLOCKS_IN, int root, MPI_Comm comm, TAIL), (BLOCKS, root, comm, LAST), \
    call_scatter(BLOCKS, root), root, p.out.type)                                                            \
  F(Iallgather, Allgather_init, ALLGATHER, (BLOCKS_IN, MPI_Comm comm, TAIL), (BLOCKS, comm, LAST),           \
    call_blocks(COLL_ALLGATHER, BLOCKS, 0), -1, other)                                                       \
  F(Ialltoall, Alltoall_init, ALLTOALL, (BLOCKS_IN, MPI_Comm comm, TAIL), (BLOCKS, comm, LAST),              \
    call_blocks(COLL_ALLTOALL, BLOCKS, 0), -1, other)                                                        \
  F(Ireduce, Reduce_init, REDUCE, (VECTOR_IN, int root, MPI_Comm comm, TAIL), (VECTOR, root, comm, LAST),    \
    call_combines(COLL_REDUCE, VECTOR, root), root, type)                                                    \
  COMBINES(F, Iallreduce, Allreduce_init, ALLREDUCE)                                                         \
  COMBINES(F, Iscan, Scan_init, SCAN)                                                                        \
  COMBINES(F, Iexscan, Exscan_init, EXSCAN)                                                                  \
  COMBINES(F, Ireduce_scatter_block, Reduce_scatter_block_init, REDUCE_SCATTER_BLOCK)                        \
  F(Ireduce_scatter, Reduce_scatter_init, REDUCE_SCATTER,                                                    \
    (const void *in, void *out, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm, TAIL),       \
    (in, out, counts, type, op, comm, LAST), call_reduce_scatter(comm, in, out, counts, type, op), -1, type)

#define FUNCTION(name, own, kind, at, parameters, arguments, call, root, type) \
  PUBLIC int name parameters {                                                 \
    if (!session_active[at]) return own arguments;                             \
    program_call p = call;                                                     \
    session_call s = session_start(comm, &p, kind, request);                   \
    FINISH(at, root, type, own arguments);                                     \
  }

#define TAIL MPI_Request *request
#define LAST request
#define NONBLOCKING(i, init, K, ...) \
  FUNCTION(MPI_##i, PMPI_##i, PLANS_NONBLOCKING, COUNTS_NONBLOCKING + COLL_##K, __VA_ARGS__)
EACH(NONBLOCKING)
#undef TAIL
#undef LAST

/* ---- persistent requests ------------------------------------------------------------------------------ */

#include "preload/persistent.h"

#ifdef HAS_PERSISTENT
#define TAIL MPI_Info info, MPI_Request *request
#define LAST info, request
#define PERSISTENT_AT(K) COUNTS_PERSISTENT + COLL_##K
#define OF_PERSISTENT(i, init, K, ...) \
  FUNCTION(FIRST_NAME(init), SECOND_NAME(init), PLANS_PERSISTENT, PERSISTENT_AT(K), __VA_ARGS__)
EACH(OF_PERSISTENT)

PUBLIC int MPI_Start(MPI_Request *request) {
  if (!progress_persistent) return PMPI_Start(request);
  MPI_Request started = *request;
  int code = PMPI_Start(request);
  if (code == MPI_SUCCESS) persistent_start(&started, 1);
  return code;
}

PUBLIC int MPI_Startall(int n, MPI_Request *requests) {
  if (!progress_persistent) return PMPI_Startall(n, requests);
  int code = PMPI_Startall(n, requests);
  if (code == MPI_SUCCESS) persistent_start(requests, n);
  return code;
}

PUBLIC int MPI_Request_free(MPI_Request *request) {
  if (progress_persistent) persistent_release(*request);
  return PMPI_Request_free(request);
}
#endif

/* ---- what the program frees meanwhile ------------------------------------------------------------------ */

/* A type or an operator that calls under way, or persistent ones, may still use: MPI's own would keep it. */
PUBLIC int MPI_Type_free(MPI_Datatype *type) {
  if (!progress_known || !type || *type == MPI_DATATYPE_NULL || layout_is_named(*type)) return PMPI_Type_free(type);
  progress_free_type(*type);
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

PUBLIC int MPI_Op_free(MPI_Op *op) {
  if (!progress_known || !op || *op == MPI_OP_NULL || operators_is_predefined(*op)) return PMPI_Op_free(op);
  progress_free_operator(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}
