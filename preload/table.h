/* MPI's collective functions, as a table: EACH(F) is, for each of those with counts,
 *   F(name, non-blocking name, its number in preload/counts.h, parameters, arguments, the call that they describe, its root or -1, its type)
 * and EACH_WITHOUT_COUNTS(F) for the others. Who expands them says which form they have:
 *   COUNT, AT    the types of counts and displacements
 *   TAIL, LAST   what stands behind the communicator, with its comma, as parameters and as arguments; of blocking ones nothing */
#ifndef COLLSCOPE_PRELOAD_TABLE_H
#define COLLSCOPE_PRELOAD_TABLE_H

#include "preload/interposed.h"

#define BLOCKS_IN const void *in, COUNT n, MPI_Datatype type, void *out, COUNT m, MPI_Datatype other
#define BLOCKS in, n, type, out, m, other
#define VECTOR_IN const void *in, void *out, COUNT n, MPI_Datatype type, MPI_Op op
#define VECTOR in, out, n, type, op
/* Of those with counts for each rank: what this rank sends, what it receives, and both with types for each, too. */
#define SENDS_IN const void *in, const COUNT *n, const AT *from, MPI_Datatype type
#define SENDS in, n, from, type
#define TAKES_IN void *out, const COUNT *m, const AT *to, MPI_Datatype other
#define TAKES out, m, to, other
#define TYPED_IN(AT)                                                                                                  \
  const void *in, const COUNT *n, const AT *from, const MPI_Datatype *types, void *out, const COUNT *m, const AT *to, \
      const MPI_Datatype *others
#define TYPED in, n, from, types, out, m, to, others
#define PER_RANK(array) ((per_rank){ array, sizeof *(array) })
#define OF_MINE(array, other) (in == MPI_IN_PLACE ? (other) : (array))

#define COMBINES(F, name, i, K)                                                                                      \
  F(name, i, COLL_##K, (VECTOR_IN, MPI_Comm comm TAIL), (VECTOR, comm LAST), call_combines(COLL_##K, VECTOR, 0), -1, \
    type)
#define EACH(F)                                                                                                        \
  F(Bcast, Ibcast, COLL_BCAST, (void *buffer, COUNT n, MPI_Datatype type, int root, MPI_Comm comm TAIL),               \
    (buffer, n, type, root, comm LAST), call_bcast(buffer, n, type, root), root, type)                                 \
  F(Gather, Igather, COLL_GATHER, (BLOCKS_IN, int root, MPI_Comm comm TAIL), (BLOCKS, root, comm LAST),                \
    call_blocks(COLL_GATHER, BLOCKS, root), root, p.in.type)                                                           \
  F(Scatter, Iscatter, COLL_SCATTER, (BLOCKS_IN, int root, MPI_Comm comm TAIL), (BLOCKS, root, comm LAST),             \
    call_scatter(BLOCKS, root), root, p.out.type)                                                                      \
  F(Allgather, Iallgather, COLL_ALLGATHER, (BLOCKS_IN, MPI_Comm comm TAIL), (BLOCKS, comm LAST),                       \
    call_blocks(COLL_ALLGATHER, BLOCKS, 0), -1, other)                                                                 \
  F(Alltoall, Ialltoall, COLL_ALLTOALL, (BLOCKS_IN, MPI_Comm comm TAIL), (BLOCKS, comm LAST),                          \
    call_blocks(COLL_ALLTOALL, BLOCKS, 0), -1, other)                                                                  \
  F(Reduce, Ireduce, COLL_REDUCE, (VECTOR_IN, int root, MPI_Comm comm TAIL), (VECTOR, root, comm LAST),                \
    call_combines(COLL_REDUCE, VECTOR, root), root, type)                                                              \
  COMBINES(F, Allreduce, Iallreduce, ALLREDUCE)                                                                        \
  COMBINES(F, Scan, Iscan, SCAN)                                                                                       \
  COMBINES(F, Exscan, Iexscan, EXSCAN)                                                                                 \
  COMBINES(F, Reduce_scatter_block, Ireduce_scatter_block, REDUCE_SCATTER_BLOCK)                                       \
  F(Reduce_scatter, Ireduce_scatter, COLL_REDUCE_SCATTER,                                                              \
    (const void *in, void *out, const COUNT *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm TAIL),                \
    (in, out, counts, type, op, comm LAST), call_reduce_scatter(comm, in, out, PER_RANK(counts), type, op), -1, type)  \
  F(Gatherv, Igatherv, COLL_GATHERV,                                                                                   \
    (const void *in, COUNT n, MPI_Datatype type, TAKES_IN, int root, MPI_Comm comm TAIL),                              \
    (in, n, type, TAKES, root, comm LAST), call_passed(bytes_of(in, n, type), counts_root_alone), root, type)          \
  F(Scatterv, Iscatterv, COLL_SCATTERV,                                                                                \
    (SENDS_IN, void *out, COUNT m, MPI_Datatype other, int root, MPI_Comm comm TAIL),                                  \
    (SENDS, out, m, other, root, comm LAST), call_passed(bytes_of(out, m, other), counts_root_alone), root, other)     \
  F(Allgatherv, Iallgatherv, COLL_ALLGATHERV,                                                                          \
    (const void *in, COUNT n, MPI_Datatype type, TAKES_IN, MPI_Comm comm TAIL), (in, n, type, TAKES, comm LAST),       \
    call_allgatherv(comm, in, n, type, out, PER_RANK(m), PER_RANK(to), other), -1, other)                              \
  F(Alltoallv, Ialltoallv, COLL_ALLTOALLV, (SENDS_IN, TAKES_IN, MPI_Comm comm TAIL), (SENDS, TAKES, comm LAST),        \
    call_passed(bytes_for(ranks_of(comm), PER_RANK(OF_MINE(n, m)), OF_MINE(type, other), NULL), counts_own_alone), -1, \
    other)                                                                                                             \
  F(Alltoallw, Ialltoallw, COUNTS_ALLTOALLW, (TYPED_IN(AT), MPI_Comm comm TAIL), (TYPED, comm LAST),                   \
    call_passed(bytes_for(ranks_of(comm), PER_RANK(OF_MINE(n, m)), MPI_DATATYPE_NULL, OF_MINE(types, others)),         \
                counts_own_alone),                                                                                     \
    -1, MPI_DATATYPE_NULL)                                                                                             \
  F(Neighbor_allgather, Ineighbor_allgather, COUNTS_NEIGHBOR_ALLGATHER, (BLOCKS_IN, MPI_Comm comm TAIL),               \
    (BLOCKS, comm LAST), call_passed(bytes_of(in, n, type), counts_neighbours), -1, other)                             \
  F(Neighbor_allgatherv, Ineighbor_allgatherv, COUNTS_NEIGHBOR_ALLGATHERV,                                             \
    (const void *in, COUNT n, MPI_Datatype type, TAKES_IN, MPI_Comm comm TAIL), (in, n, type, TAKES, comm LAST),       \
    call_passed(bytes_of(in, n, type), counts_neighbours), -1, other)                                                  \
  F(Neighbor_alltoall, Ineighbor_alltoall, COUNTS_NEIGHBOR_ALLTOALL, (BLOCKS_IN, MPI_Comm comm TAIL),                  \
    (BLOCKS, comm LAST), call_passed(bytes_of(in, n, type) * (size_t)call_neighbours(comm), counts_neighbours), -1,    \
    other)                                                                                                             \
  F(Neighbor_alltoallv, Ineighbor_alltoallv, COUNTS_NEIGHBOR_ALLTOALLV, (SENDS_IN, TAKES_IN, MPI_Comm comm TAIL),      \
    (SENDS, TAKES, comm LAST),                                                                                         \
    call_passed(bytes_for(call_neighbours(comm), PER_RANK(n), type, NULL), counts_neighbours), -1, other)              \
  F(Neighbor_alltoallw, Ineighbor_alltoallw, COUNTS_NEIGHBOR_ALLTOALLW, (TYPED_IN(MPI_Aint), MPI_Comm comm TAIL),      \
    (TYPED, comm LAST),                                                                                                \
    call_passed(bytes_for(call_neighbours(comm), PER_RANK(n), MPI_DATATYPE_NULL, types), counts_neighbours), -1,       \
    MPI_DATATYPE_NULL)
#define EACH_WITHOUT_COUNTS(F)                                          \
  F(Barrier, Ibarrier, COLL_BARRIER, (MPI_Comm comm TAIL), (comm LAST), \
    ((program_call){ .collective = COLL_BARRIER }), -1, MPI_DATATYPE_NULL)

/* A function in place of MPI's `own`: served by an algorithm, as `begin` tries, or, where the call says why not, by MPI's own. */
#define FUNCTION(name, own, begin, at, parameters, arguments, call, root, type) \
  PUBLIC int name parameters {                                                  \
    if (!session_active[at]) return own arguments;                              \
    program_call p = call;                                                      \
    session_call s = begin;                                                     \
    if (s.why) s.code = own arguments;                                          \
    return session_done(&s, at, root, type);                                    \
  }

#endif
