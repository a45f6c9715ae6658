/* What functions in place of MPI's share: the call that their arguments describe. */
#ifndef COLLSCOPE_PRELOAD_INTERPOSED_H
#define COLLSCOPE_PRELOAD_INTERPOSED_H

#include "core/catalogue/collective.h"
#include "patterns/block.h"
#include "preload/layout.h"
#include "preload/operators.h"
#include "preload/progress.h"
#include "preload/session.h"

#define PUBLIC __attribute__((visibility("default")))
/* served by an algorithm or, where the call says why not, by MPI's own function. */
#define FINISH(k, root, type, own)          \
  do {                                      \
    if (s.why) s.code = own;                \
    return session_done(&s, k, root, type); \
  } while (0)

static inline side side_of(const void *buffer, int count, MPI_Datatype type) {
  return (side){ .buffer = buffer, .count = (size_t)(long)count, .type = type };
}

/* What a rank sends in place is described by what it receives. */
static inline side side_sent(const void *buffer, int count, MPI_Datatype type, int other_count, MPI_Datatype other) {
  return buffer == MPI_IN_PLACE ? side_of(buffer, other_count, other) : side_of(buffer, count, type);
}

static inline program_call call_bcast(const void *buffer, int count, MPI_Datatype type, int root) {
  side both = side_of(buffer, count, type);
  return (program_call){ .collective = COLL_BCAST, .root = root, .in = both, .out = both };
}

static inline program_call call_scatter(const void *in, int n, MPI_Datatype type, const void *out, int m,
                                        MPI_Datatype other, int root) {
  return (program_call){
    .collective = COLL_SCATTER, .root = root, .in = side_of(in, n, type), .out = side_sent(out, m, other, n, type)
  };
}

/* gather, allgather, alltoall; root: 0 without one. */
static inline program_call call_blocks(coll_collective k, const void *in, int n, MPI_Datatype type, const void *out,
                                       int m, MPI_Datatype other, int root) {
  return (program_call){
    .collective = k, .root = root, .in = side_sent(in, n, type, m, other), .out = side_of(out, m, other)
  };
}

static inline program_call call_combines(coll_collective k, const void *in, const void *out, int n, MPI_Datatype type,
                                         MPI_Op op, int root) {
  return (program_call){
    .collective = k, .root = root, .in = side_of(in, n, type), .out = side_of(out, n, type), .op = op
  };
}

/* Algorithms cut the vector as coll_block does, and serve no other counts. */
static inline program_call call_reduce_scatter(MPI_Comm comm, const void *in, const void *out, const int *counts,
                                               MPI_Datatype type, MPI_Op op) {
  communicator *c = communicator_of(comm);
  program_call p = { .collective = COLL_REDUCE_SCATTER, .why = "counts that are not those of an even cut" };
  size_t all = 0;
  bool even = c && !c->inter && counts;
  for (int i = 0; even && i < c->size; i++) {
    even = counts[i] >= 0;
    all += (size_t)counts[i];
  }
  if (!even) return p;
  for (int i = 0; i < c->size; i++) even &= coll_block(all, c->size, i).count == (size_t)counts[i];
  p.bytes = type == MPI_DATATYPE_NULL ? 0 : all * layout_size(type);
  if (!even) return p;
  return (program_call){ .collective = COLL_REDUCE_SCATTER,
                         .in = { .buffer = in, .count = all, .type = type },
                         .out = side_of(out, counts[c->rank], type),
                         .op = op };
}

#endif
