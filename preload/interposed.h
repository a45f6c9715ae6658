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

static inline side side_of(const void *buffer, MPI_Count count, MPI_Datatype type) {
  return (side){ .buffer = buffer, .count = (size_t)count, .type = type };
}

/* What a rank sends in place is described by what it receives. */
static inline side side_sent(const void *buffer, MPI_Count count, MPI_Datatype type, MPI_Count other_count,
                             MPI_Datatype other) {
  return buffer == MPI_IN_PLACE ? side_of(buffer, other_count, other) : side_of(buffer, count, type);
}

static inline program_call call_bcast(const void *buffer, MPI_Count count, MPI_Datatype type, int root) {
  side both = side_of(buffer, count, type);
  return (program_call){ .collective = COLL_BCAST, .root = root, .in = both, .out = both };
}

static inline program_call call_scatter(const void *in, MPI_Count n, MPI_Datatype type, const void *out, MPI_Count m,
                                        MPI_Datatype other, int root) {
  return (program_call){
    .collective = COLL_SCATTER, .root = root, .in = side_of(in, n, type), .out = side_sent(out, m, other, n, type)
  };
}

/* gather, allgather, alltoall; root: 0 without one. */
static inline program_call call_blocks(coll_collective k, const void *in, MPI_Count n, MPI_Datatype type,
                                       const void *out, MPI_Count m, MPI_Datatype other, int root) {
  return (program_call){
    .collective = k, .root = root, .in = side_sent(in, n, type, m, other), .out = side_of(out, m, other)
  };
}

static inline program_call call_combines(coll_collective k, const void *in, const void *out, MPI_Count n,
                                         MPI_Datatype type, MPI_Op op, int root) {
  return (program_call){
    .collective = k, .root = root, .in = side_of(in, n, type), .out = side_of(out, n, type), .op = op
  };
}

/* ---- with counts for each rank ------------------------------------------------------------------------- */

static inline size_t bytes_of(const void *buffer, MPI_Count n, MPI_Datatype type) {
  return buffer != MPI_IN_PLACE && n > 0 && type != MPI_DATATYPE_NULL ? (size_t)n * layout_size(type) : 0;
}

/* What a rank brings to an exchange with so many others. types: NULL: all have the one. */
static inline size_t bytes_for(int others, per_rank counts, MPI_Datatype type, const MPI_Datatype *types) {
  size_t sum = 0;
  for (int i = 0; per_rank_given(counts) && i < others; i++)
    sum += bytes_of(NULL, per_rank_at(counts, i), types ? types[i] : type);
  return sum;
}

static inline int ranks_of(MPI_Comm comm) {
  communicator *c = communicator_of(comm);
  return c && !c->inter ? c->size : 0;
}

/* An even cut is that of coll_block, which every algorithm serves. */
static inline program_call call_reduce_scatter(MPI_Comm comm, const void *in, const void *out, per_rank counts,
                                               MPI_Datatype type, MPI_Op op) {
  int ranks = ranks_of(comm);
  size_t all = 0;
  bool even = ranks && per_rank_given(counts);
  for (int i = 0; even && i < ranks; i++) {
    even = per_rank_at(counts, i) >= 0;
    all += (size_t)per_rank_at(counts, i);
  }
  if (!even) return (program_call){ .collective = COLL_REDUCE_SCATTER, .why = "arguments that MPI refuses" };
  for (int i = 0; i < ranks; i++) even &= coll_block(all, ranks, i).count == (size_t)per_rank_at(counts, i);
  return (program_call){ .collective = COLL_REDUCE_SCATTER,
                         .in = { .buffer = in, .count = all, .type = type },
                         .out = side_of(out, per_rank_at(counts, communicator_of(comm)->rank), type),
                         .op = op,
                         .counts = even ? (per_rank){ NULL, 0 } : counts };
}

/* Every rank knows the counts of all: an algorithm of allgatherv serves any, one of allgather blocks of one size, wherever they are to lie. */
static inline program_call call_allgatherv(MPI_Comm comm, const void *in, MPI_Count n, MPI_Datatype type,
                                           const void *out, per_rank counts, per_rank at, MPI_Datatype other) {
  int ranks = ranks_of(comm);
  bool even = ranks && per_rank_given(counts) && per_rank_given(at), fine = even;
  MPI_Count block = even ? per_rank_at(counts, 0) : 0, all = 0;
  for (int i = 0; fine && i < ranks; all += per_rank_at(counts, i++)) fine = per_rank_at(counts, i) >= 0;
  if (fine && session_chooses(COLL_ALLGATHERV)) {
    MPI_Count own = per_rank_at(counts, communicator_of(comm)->rank), mean = (all + ranks - 1) / ranks;
    return (program_call){ .collective = COLL_ALLGATHERV,
                           .in = side_sent(in, n, type, own, other),
                           .out = side_of(out, mean, other),
                           .at = at,
                           .counts = counts };
  }
  for (int i = 0; even && i < ranks; i++) even = per_rank_at(counts, i) >= 0 && per_rank_at(counts, i) == block;
  if (!even)
    return (program_call){ .collective = COLL_ALLGATHER,
                           .why = "blocks of several sizes",
                           .bytes = ranks ? bytes_for(ranks, counts, other, NULL) / (size_t)ranks : 0 };
  return (program_call){ .collective = COLL_ALLGATHER,
                         .in = side_sent(in, n, type, block, other),
                         .out = side_of(out, block, other),
                         .at = at };
}

/* No algorithm serves it. bytes: what this rank brings; others may bring another number. */
static inline program_call call_passed(size_t bytes, const char *why) {
  return (program_call){ .why = why, .bytes = bytes, .uneven = true };
}

#endif
