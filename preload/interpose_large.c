/* MPI's collective functions with large counts, where the library has them: MPI_Bcast_c and its like, of MPI 4. */
#include <mpi.h>

#if MPI_VERSION >= 4

#include "core/catalogue/collective.h"
#include "patterns/block.h"
#include "preload/layout.h"
#include "preload/session.h"

#define PUBLIC __attribute__((visibility("default")))

static side of(const void *buffer, MPI_Count count, MPI_Datatype type) {
  return (side){ .buffer = buffer, .count = (size_t)count, .type = type };
}

/* What a rank sends in place is described by what it receives. */
static side sent(const void *buffer, MPI_Count count, MPI_Datatype type, MPI_Count other_count, MPI_Datatype other) {
  return buffer == MPI_IN_PLACE ? of(buffer, other_count, other) : of(buffer, count, type);
}

#define BLOCKS_IN const void *in, MPI_Count n, MPI_Datatype type, void *out, MPI_Count m, MPI_Datatype other
#define BLOCKS in, n, type, out, m, other
#define VECTOR_IN const void *in, void *out, MPI_Count n, MPI_Datatype type, MPI_Op op
#define VECTOR in, out, n, type, op

/* A function by its name, collective, parameters, arguments; the sides of the call; the type that is reported; its root, -1 without one; what
 * else the call has. Served by an algorithm or, where the call says why not, by MPI's own function. */
#define LARGE(name, K, parameters, arguments, of_in, of_out, reported, has_root, ...)     \
  PUBLIC int MPI_##name##_c parameters {                                                  \
    if (!session_active[COLL_##K]) return PMPI_##name##_c arguments;                      \
    program_call p = { .collective = COLL_##K, .in = of_in, .out = of_out, __VA_ARGS__ }; \
    session_call s = session_serve(comm, &p);                                             \
    if (s.why) s.code = PMPI_##name##_c arguments;                                        \
    return session_done(&s, COLL_##K, has_root, reported);                                \
  }

/* clang-format off: a table */
LARGE(Bcast, BCAST, (void *buffer, MPI_Count n, MPI_Datatype type, int root, MPI_Comm comm),
      (buffer, n, type, root, comm), of(buffer, n, type), of(buffer, n, type), type, root, .root = root)
LARGE(Gather, GATHER, (BLOCKS_IN, int root, MPI_Comm comm), (BLOCKS, root, comm), sent(in, n, type, m, other),
      of(out, m, other), p.in.type, root, .root = root)
LARGE(Scatter, SCATTER, (BLOCKS_IN, int root, MPI_Comm comm), (BLOCKS, root, comm), of(in, n, type),
      sent(out, m, other, n, type), p.out.type, root, .root = root)
LARGE(Allgather, ALLGATHER, (BLOCKS_IN, MPI_Comm comm), (BLOCKS, comm), sent(in, n, type, m, other), of(out, m, other),
      other, -1, .root = 0)
LARGE(Alltoall, ALLTOALL, (BLOCKS_IN, MPI_Comm comm), (BLOCKS, comm), sent(in, n, type, m, other), of(out, m, other),
      other, -1, .root = 0)
LARGE(Reduce, REDUCE, (VECTOR_IN, int root, MPI_Comm comm), (VECTOR, root, comm), of(in, n, type), of(out, n, type),
      type, root, .root = root, .op = op)
LARGE(Allreduce, ALLREDUCE, (VECTOR_IN, MPI_Comm comm), (VECTOR, comm), of(in, n, type), of(out, n, type), type, -1,
      .op = op)
LARGE(Scan, SCAN, (VECTOR_IN, MPI_Comm comm), (VECTOR, comm), of(in, n, type), of(out, n, type), type, -1, .op = op)
LARGE(Exscan, EXSCAN, (VECTOR_IN, MPI_Comm comm), (VECTOR, comm), of(in, n, type), of(out, n, type), type, -1, .op = op)
LARGE(Reduce_scatter_block, REDUCE_SCATTER_BLOCK, (VECTOR_IN, MPI_Comm comm), (VECTOR, comm), of(in, n, type),
      of(out, n, type), type, -1, .op = op)
/* clang-format on */

/* ---- counts of all ranks ------------------------------------------------------------------------------ */

static size_t bytes_of(const void *buffer, MPI_Count n, MPI_Datatype type) {
  return buffer != MPI_IN_PLACE && n > 0 && type != MPI_DATATYPE_NULL ? (size_t)n * layout_size(type) : 0;
}

/* What a rank brings to an exchange: the blocks for all others, and the one for itself. */
static size_t bytes_for_all(MPI_Comm comm, const MPI_Count *counts, MPI_Datatype type, const MPI_Datatype *types) {
  communicator *c = communicator_of(comm);
  size_t sum = 0;
  for (int i = 0; c && !c->inter && counts && i < c->size; i++)
    sum += bytes_of(NULL, counts[i], types ? types[i] : type);
  return sum;
}

/* Algorithms cut the vector as coll_block does; the sum of such counts, else SIZE_MAX. */
static size_t cut_evenly(const MPI_Count *counts, int ranks) {
  size_t all = 0;
  for (int i = 0; i < ranks; i++) {
    if (counts[i] < 0) return SIZE_MAX;
    all += (size_t)counts[i];
  }
  for (int i = 0; i < ranks; i++)
    if (coll_block(all, ranks, i).count != (size_t)counts[i]) return SIZE_MAX;
  return all;
}

PUBLIC int MPI_Reduce_scatter_c(const void *in, void *out, const MPI_Count *counts, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm) {
  if (!session_active[COLL_REDUCE_SCATTER]) return PMPI_Reduce_scatter_c(in, out, counts, type, op, comm);
  communicator *c = communicator_of(comm);
  size_t all = c && !c->inter && counts ? cut_evenly(counts, c->size) : SIZE_MAX;
  program_call p = { .collective = COLL_REDUCE_SCATTER, .op = op };
  session_call s;
  if (all == SIZE_MAX) {
    s = session_pass(comm, bytes_for_all(comm, counts, type, NULL), "counts that are not those of an even cut");
    s.uneven = false;
  } else {
    p.in = (side){ .buffer = in, .count = all, .type = type };
    p.out = of(out, counts[c->rank], type);
    s = session_serve(comm, &p);
  }
  if (s.why) s.code = PMPI_Reduce_scatter_c(in, out, counts, type, op, comm);
  return session_done(&s, COLL_REDUCE_SCATTER, -1, type);
}

static bool have_one_count(const MPI_Count *counts, int ranks) {
  for (int i = 0; i < ranks; i++)
    if (counts[i] < 0 || counts[i] != counts[0]) return false;
  return true;
}

PUBLIC int MPI_Allgatherv_c(const void *in, MPI_Count n, MPI_Datatype type, void *out, const MPI_Count *counts,
                            const MPI_Aint *at, MPI_Datatype other, MPI_Comm comm) {
  if (!session_active[COUNTS_ALLGATHERV] && !session_active[COLL_ALLGATHER])
    return PMPI_Allgatherv_c(in, n, type, out, counts, at, other, comm);
  communicator *c = communicator_of(comm);
  program_call p = { .collective = COLL_ALLGATHER, .far_at = at };
  session_call s;
  if (!c || c->inter || !counts || !at || !have_one_count(counts, c->size)) {
    size_t mean = c ? bytes_for_all(comm, counts, other, NULL) / (size_t)c->size : 0;
    s = session_pass(comm, mean, "blocks of several sizes");
    s.uneven = false;
  } else {
    p.in = sent(in, n, type, counts[0], other);
    p.out = of(out, counts[0], other);
    s = session_serve(comm, &p);
  }
  if (s.why) s.code = PMPI_Allgatherv_c(in, n, type, out, counts, at, other, comm);
  return session_done(&s, COUNTS_ALLGATHERV, -1, other);
}

/* ---- always passed on --------------------------------------------------------------------------------- */

#define PASSED(name, K, why, bytes, reported, has_root, parameters, arguments) \
  PUBLIC int MPI_##name##_c parameters {                                       \
    if (!session_active[COUNTS_##K]) return PMPI_##name##_c arguments;         \
    session_call s = session_pass(comm, bytes, why);                           \
    s.code = PMPI_##name##_c arguments;                                        \
    return session_done(&s, COUNTS_##K, has_root, reported);                   \
  }

/* clang-format off: a table */
PASSED(Gatherv, GATHERV, counts_root_alone, bytes_of(in, n, type), type, root,
       (const void *in, MPI_Count n, MPI_Datatype type, void *out, const MPI_Count *counts, const MPI_Aint *at,
        MPI_Datatype other, int root, MPI_Comm comm),
       (in, n, type, out, counts, at, other, root, comm))
PASSED(Scatterv, SCATTERV, counts_root_alone, bytes_of(out, m, other), other, root,
       (const void *in, const MPI_Count *counts, const MPI_Aint *at, MPI_Datatype type, void *out, MPI_Count m,
        MPI_Datatype other, int root, MPI_Comm comm),
       (in, counts, at, type, out, m, other, root, comm))
PASSED(Alltoallv, ALLTOALLV, counts_own_alone,
       bytes_for_all(comm, in == MPI_IN_PLACE ? m : n, in == MPI_IN_PLACE ? other : type, NULL), other, -1,
       (const void *in, const MPI_Count *n, const MPI_Aint *from, MPI_Datatype type, void *out, const MPI_Count *m,
        const MPI_Aint *to, MPI_Datatype other, MPI_Comm comm),
       (in, n, from, type, out, m, to, other, comm))
PASSED(Alltoallw, ALLTOALLW, counts_own_alone,
       bytes_for_all(comm, in == MPI_IN_PLACE ? m : n, MPI_DATATYPE_NULL, in == MPI_IN_PLACE ? others : types),
       MPI_DATATYPE_NULL, -1,
       (const void *in, const MPI_Count *n, const MPI_Aint *from, const MPI_Datatype *types, void *out,
        const MPI_Count *m, const MPI_Aint *to, const MPI_Datatype *others, MPI_Comm comm),
       (in, n, from, types, out, m, to, others, comm))
/* clang-format on */

#endif
