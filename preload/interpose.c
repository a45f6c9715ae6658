/* MPI's collective functions as the program calls them. */
#include "preload/interposed.h"

PUBLIC int MPI_Barrier(MPI_Comm comm) {
  if (!session_active[COLL_BARRIER]) return PMPI_Barrier(comm);
  program_call p = { .collective = COLL_BARRIER };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_BARRIER, -1, MPI_DATATYPE_NULL, PMPI_Barrier(comm));
}

PUBLIC int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!session_active[COLL_BCAST]) return PMPI_Bcast(buffer, count, type, root, comm);
  program_call p = call_bcast(buffer, count, type, root);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_BCAST, root, type, PMPI_Bcast(buffer, count, type, root, comm));
}

PUBLIC int MPI_Gather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other, int root,
                      MPI_Comm comm) {
  if (!session_active[COLL_GATHER]) return PMPI_Gather(in, n, type, out, m, other, root, comm);
  program_call p = call_blocks(COLL_GATHER, in, n, type, out, m, other, root);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_GATHER, root, p.in.type, PMPI_Gather(in, n, type, out, m, other, root, comm));
}

PUBLIC int MPI_Scatter(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other, int root,
                       MPI_Comm comm) {
  if (!session_active[COLL_SCATTER]) return PMPI_Scatter(in, n, type, out, m, other, root, comm);
  program_call p = call_scatter(in, n, type, out, m, other, root);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_SCATTER, root, p.out.type, PMPI_Scatter(in, n, type, out, m, other, root, comm));
}

PUBLIC int MPI_Allgather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other,
                         MPI_Comm comm) {
  if (!session_active[COLL_ALLGATHER]) return PMPI_Allgather(in, n, type, out, m, other, comm);
  program_call p = call_blocks(COLL_ALLGATHER, in, n, type, out, m, other, 0);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_ALLGATHER, -1, other, PMPI_Allgather(in, n, type, out, m, other, comm));
}

PUBLIC int MPI_Alltoall(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other, MPI_Comm comm) {
  if (!session_active[COLL_ALLTOALL]) return PMPI_Alltoall(in, n, type, out, m, other, comm);
  program_call p = call_blocks(COLL_ALLTOALL, in, n, type, out, m, other, 0);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_ALLTOALL, -1, other, PMPI_Alltoall(in, n, type, out, m, other, comm));
}

PUBLIC int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  if (!session_active[COLL_REDUCE]) return PMPI_Reduce(in, out, n, type, op, root, comm);
  program_call p = call_combines(COLL_REDUCE, in, out, n, type, op, root);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_REDUCE, root, type, PMPI_Reduce(in, out, n, type, op, root, comm));
}

PUBLIC int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!session_active[COLL_ALLREDUCE]) return PMPI_Allreduce(in, out, n, type, op, comm);
  program_call p = call_combines(COLL_ALLREDUCE, in, out, n, type, op, 0);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_ALLREDUCE, -1, type, PMPI_Allreduce(in, out, n, type, op, comm));
}

PUBLIC int MPI_Scan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!session_active[COLL_SCAN]) return PMPI_Scan(in, out, n, type, op, comm);
  program_call p = call_combines(COLL_SCAN, in, out, n, type, op, 0);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_SCAN, -1, type, PMPI_Scan(in, out, n, type, op, comm));
}

PUBLIC int MPI_Exscan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!session_active[COLL_EXSCAN]) return PMPI_Exscan(in, out, n, type, op, comm);
  program_call p = call_combines(COLL_EXSCAN, in, out, n, type, op, 0);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_EXSCAN, -1, type, PMPI_Exscan(in, out, n, type, op, comm));
}

PUBLIC int MPI_Reduce_scatter_block(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!session_active[COLL_REDUCE_SCATTER_BLOCK]) return PMPI_Reduce_scatter_block(in, out, n, type, op, comm);
  program_call p = call_combines(COLL_REDUCE_SCATTER_BLOCK, in, out, n, type, op, 0);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_REDUCE_SCATTER_BLOCK, -1, type, PMPI_Reduce_scatter_block(in, out, n, type, op, comm));
}

static size_t bytes_of(const void *buffer, int n, MPI_Datatype type) {
  return buffer != MPI_IN_PLACE && n > 0 && type != MPI_DATATYPE_NULL ? (size_t)n * layout_size(type) : 0;
}

/* What a rank brings to an exchange: the blocks for all others, and the one for itself. */
static size_t bytes_for_all(MPI_Comm comm, const int *counts, MPI_Datatype type, const MPI_Datatype *types) {
  communicator *c = communicator_of(comm);
  size_t sum = 0;
  for (int i = 0; c && !c->inter && counts && i < c->size; i++)
    sum += bytes_of(NULL, counts[i], types ? types[i] : type);
  return sum;
}

PUBLIC int MPI_Reduce_scatter(const void *in, void *out, const int *counts, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm) {
  if (!session_active[COLL_REDUCE_SCATTER]) return PMPI_Reduce_scatter(in, out, counts, type, op, comm);
  program_call p = call_reduce_scatter(comm, in, out, counts, type, op);
  session_call s = session_serve(comm, &p);
  FINISH(COLL_REDUCE_SCATTER, -1, type, PMPI_Reduce_scatter(in, out, counts, type, op, comm));
}

/* The count of all blocks where they have one; else SIZE_MAX. Every rank knows the counts of all. */
static size_t one_count(const int *counts, int ranks) {
  for (int i = 0; i < ranks; i++)
    if (counts[i] < 0 || counts[i] != counts[0]) return SIZE_MAX;
  return (size_t)counts[0];
}

PUBLIC int MPI_Allgatherv(const void *in, int n, MPI_Datatype type, void *out, const int *counts, const int *at,
                          MPI_Datatype other, MPI_Comm comm) {
  if (!session_active[COUNTS_ALLGATHERV] && !session_active[COLL_ALLGATHER])
    return PMPI_Allgatherv(in, n, type, out, counts, at, other, comm);
  session_call s;
  communicator *c = communicator_of(comm);
  size_t block = c && !c->inter && counts && at ? one_count(counts, c->size) : SIZE_MAX;
  if (block == SIZE_MAX) {
    size_t mean = c ? bytes_for_all(comm, counts, other, NULL) / (size_t)c->size : 0;
    s = session_pass(comm, mean, "blocks of several sizes");
    s.uneven = false;
  } else {
    program_call p = { .collective = COLL_ALLGATHER,
                       .in = side_sent(in, n, type, (int)block, other),
                       .out = side_of(out, (int)block, other),
                       .at = at };
    s = session_serve(comm, &p);
  }
  FINISH(COUNTS_ALLGATHERV, -1, other, PMPI_Allgatherv(in, n, type, out, counts, at, other, comm));
}

/* ---- always passed on --------------------------------------------------------------------------------- */

PUBLIC int MPI_Gatherv(const void *in, int n, MPI_Datatype type, void *out, const int *counts, const int *at,
                       MPI_Datatype other, int root, MPI_Comm comm) {
  if (!session_active[COUNTS_GATHERV]) return PMPI_Gatherv(in, n, type, out, counts, at, other, root, comm);
  session_call s = session_pass(comm, bytes_of(in, n, type), counts_root_alone);
  FINISH(COUNTS_GATHERV, root, type, PMPI_Gatherv(in, n, type, out, counts, at, other, root, comm));
}

PUBLIC int MPI_Scatterv(const void *in, const int *counts, const int *at, MPI_Datatype type, void *out, int m,
                        MPI_Datatype other, int root, MPI_Comm comm) {
  if (!session_active[COUNTS_SCATTERV]) return PMPI_Scatterv(in, counts, at, type, out, m, other, root, comm);
  session_call s = session_pass(comm, bytes_of(out, m, other), counts_root_alone);
  FINISH(COUNTS_SCATTERV, root, other, PMPI_Scatterv(in, counts, at, type, out, m, other, root, comm));
}

PUBLIC int MPI_Alltoallv(const void *in, const int *n, const int *from, MPI_Datatype type, void *out, const int *m,
                         const int *to, MPI_Datatype other, MPI_Comm comm) {
  if (!session_active[COUNTS_ALLTOALLV]) return PMPI_Alltoallv(in, n, from, type, out, m, to, other, comm);
  bool in_place = in == MPI_IN_PLACE;
  session_call s = session_pass(comm, bytes_for_all(comm, in_place ? m : n, in_place ? other : type, NULL),
                                counts_own_alone);
  FINISH(COUNTS_ALLTOALLV, -1, other, PMPI_Alltoallv(in, n, from, type, out, m, to, other, comm));
}

PUBLIC int MPI_Alltoallw(const void *in, const int *n, const int *from, const MPI_Datatype *types, void *out,
                         const int *m, const int *to, const MPI_Datatype *others, MPI_Comm comm) {
  if (!session_active[COUNTS_ALLTOALLW]) return PMPI_Alltoallw(in, n, from, types, out, m, to, others, comm);
  bool in_place = in == MPI_IN_PLACE;
  size_t bytes = bytes_for_all(comm, in_place ? m : n, MPI_DATATYPE_NULL, in_place ? others : types);
  session_call s = session_pass(comm, bytes, counts_own_alone);
  FINISH(COUNTS_ALLTOALLW, -1, MPI_DATATYPE_NULL, PMPI_Alltoallw(in, n, from, types, out, m, to, others, comm));
}

/* ---- beginning and end -------------------------------------------------------------------------------- */

PUBLIC int MPI_Init(int *argc, char ***argv) {
  session_fits();
  int provided;
  int code = session_needs_threads() ? PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                                     : PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) session_begin();
  return code;
}

PUBLIC int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  session_fits();
  int code = PMPI_Init_thread(argc, argv, session_needs_threads() ? MPI_THREAD_MULTIPLE : required, provided);
  if (code == MPI_SUCCESS) session_begin();
  return code;
}

PUBLIC int MPI_Finalize(void) {
  session_end();
  return PMPI_Finalize();
}

PUBLIC int MPI_Abort(MPI_Comm comm, int code) {
  session_abort();
  return PMPI_Abort(comm, code);
}
