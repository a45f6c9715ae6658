/* MPI's collective functions as the program calls them. */
#include <mpi.h>

#include "core/catalogue/collective.h"
#include "patterns/block.h"
#include "preload/layout.h"
#include "preload/session.h"

#define PUBLIC __attribute__((visibility("default")))
/* served by an algorithm or, where the call says why not, by MPI's own function. */
#define FINISH(k, root, type, own)          \
  do {                                      \
    if (s.why) s.code = own;                \
    return session_done(&s, k, root, type); \
  } while (0)

static side of(const void *buffer, int count, MPI_Datatype type) {
  return (side){ .buffer = buffer, .count = (size_t)(long)count, .type = type };
}

/* What a rank sends in place is described by what it receives. */
static side sent(const void *buffer, int count, MPI_Datatype type, int other_count, MPI_Datatype other) {
  return buffer == MPI_IN_PLACE ? of(buffer, other_count, other) : of(buffer, count, type);
}

PUBLIC int MPI_Barrier(MPI_Comm comm) {
  if (!session_active[COLL_BARRIER]) return PMPI_Barrier(comm);
  program_call p = { .collective = COLL_BARRIER };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_BARRIER, -1, MPI_DATATYPE_NULL, PMPI_Barrier(comm));
}

PUBLIC int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!session_active[COLL_BCAST]) return PMPI_Bcast(buffer, count, type, root, comm);
  side both = of(buffer, count, type);
  program_call p = { .collective = COLL_BCAST, .root = root, .in = both, .out = both };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_BCAST, root, type, PMPI_Bcast(buffer, count, type, root, comm));
}

PUBLIC int MPI_Gather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other, int root,
                      MPI_Comm comm) {
  if (!session_active[COLL_GATHER]) return PMPI_Gather(in, n, type, out, m, other, root, comm);
  program_call p = {
    .collective = COLL_GATHER, .root = root, .in = sent(in, n, type, m, other), .out = of(out, m, other)
  };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_GATHER, root, p.in.type, PMPI_Gather(in, n, type, out, m, other, root, comm));
}

PUBLIC int MPI_Scatter(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other, int root,
                       MPI_Comm comm) {
  if (!session_active[COLL_SCATTER]) return PMPI_Scatter(in, n, type, out, m, other, root, comm);
  program_call p = {
    .collective = COLL_SCATTER, .root = root, .in = of(in, n, type), .out = sent(out, m, other, n, type)
  };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_SCATTER, root, p.out.type, PMPI_Scatter(in, n, type, out, m, other, root, comm));
}

PUBLIC int MPI_Allgather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other,
                         MPI_Comm comm) {
  if (!session_active[COLL_ALLGATHER]) return PMPI_Allgather(in, n, type, out, m, other, comm);
  program_call p = { .collective = COLL_ALLGATHER, .in = sent(in, n, type, m, other), .out = of(out, m, other) };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_ALLGATHER, -1, other, PMPI_Allgather(in, n, type, out, m, other, comm));
}

PUBLIC int MPI_Alltoall(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other, MPI_Comm comm) {
  if (!session_active[COLL_ALLTOALL]) return PMPI_Alltoall(in, n, type, out, m, other, comm);
  program_call p = { .collective = COLL_ALLTOALL, .in = sent(in, n, type, m, other), .out = of(out, m, other) };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_ALLTOALL, -1, other, PMPI_Alltoall(in, n, type, out, m, other, comm));
}

PUBLIC int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  if (!session_active[COLL_REDUCE]) return PMPI_Reduce(in, out, n, type, op, root, comm);
  program_call p = {
    .collective = COLL_REDUCE, .root = root, .in = of(in, n, type), .out = of(out, n, type), .op = op
  };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_REDUCE, root, type, PMPI_Reduce(in, out, n, type, op, root, comm));
}

PUBLIC int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!session_active[COLL_ALLREDUCE]) return PMPI_Allreduce(in, out, n, type, op, comm);
  program_call p = { .collective = COLL_ALLREDUCE, .in = of(in, n, type), .out = of(out, n, type), .op = op };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_ALLREDUCE, -1, type, PMPI_Allreduce(in, out, n, type, op, comm));
}

PUBLIC int MPI_Scan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!session_active[COLL_SCAN]) return PMPI_Scan(in, out, n, type, op, comm);
  program_call p = { .collective = COLL_SCAN, .in = of(in, n, type), .out = of(out, n, type), .op = op };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_SCAN, -1, type, PMPI_Scan(in, out, n, type, op, comm));
}

PUBLIC int MPI_Exscan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!session_active[COLL_EXSCAN]) return PMPI_Exscan(in, out, n, type, op, comm);
  program_call p = { .collective = COLL_EXSCAN, .in = of(in, n, type), .out = of(out, n, type), .op = op };
  session_call s = session_serve(comm, &p);
  FINISH(COLL_EXSCAN, -1, type, PMPI_Exscan(in, out, n, type, op, comm));
}

PUBLIC int MPI_Reduce_scatter_block(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!session_active[COLL_REDUCE_SCATTER_BLOCK]) return PMPI_Reduce_scatter_block(in, out, n, type, op, comm);
  program_call p = {
    .collective = COLL_REDUCE_SCATTER_BLOCK, .in = of(in, n, type), .out = of(out, n, type), .op = op
  };
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

/* Algorithms cut the vector as coll_block does; the sum of such counts, else SIZE_MAX. */
static size_t cut_evenly(const int *counts, int ranks) {
  size_t all = 0;
  for (int i = 0; i < ranks; i++) {
    if (counts[i] < 0) return SIZE_MAX;
    all += (size_t)counts[i];
  }
  for (int i = 0; i < ranks; i++)
    if (coll_block(all, ranks, i).count != (size_t)counts[i]) return SIZE_MAX;
  return all;
}

PUBLIC int MPI_Reduce_scatter(const void *in, void *out, const int *counts, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm) {
  if (!session_active[COLL_REDUCE_SCATTER]) return PMPI_Reduce_scatter(in, out, counts, type, op, comm);
  session_call s;
  communicator *c = communicator_of(comm);
  size_t all = c && !c->inter && counts ? cut_evenly(counts, c->size) : SIZE_MAX;
  if (all == SIZE_MAX) {
    s = session_pass(comm, bytes_for_all(comm, counts, type, NULL), "counts that are not those of an even cut");
    s.uneven = false;
  } else {
    program_call p = { .collective = COLL_REDUCE_SCATTER,
                       .in = { .buffer = in, .count = all, .type = type },
                       .out = of(out, counts[c->rank], type),
                       .op = op };
    s = session_serve(comm, &p);
  }
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
                       .in = sent(in, n, type, (int)block, other),
                       .out = of(out, (int)block, other),
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
  int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) session_begin();
  return code;
}

PUBLIC int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  session_fits();
  int code = PMPI_Init_thread(argc, argv, required, provided);
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
