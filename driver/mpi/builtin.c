#include "driver/mpi/builtin.h"

#include <stdlib.h>

#include "core/catalogue/collective.h"
#include "core/runtime/allocate.h"
#include "patterns/rank_block.h"

bool builtin_open(builtin *b, MPI_Comm comm, coll_collective k, const coll_args *a, MPI_Datatype type, MPI_Op op) {
  if (!coll_facts_of(k)->mpi) return false;
  int rank;
  MPI_Comm_rank(comm, &rank);
  bool in_place = coll_shares_buffer(k, a, rank);
  bool out_in = coll_facts_of(k)->in_place == COLL_IN_PLACE_OUT_IN;
  *b = (builtin){ .comm = comm,
                  .collective = k,
                  .n = (int)a->count,
                  .root = a->root,
                  .type = type,
                  .op = op,
                  .in = in_place && !out_in ? MPI_IN_PLACE : a->in,
                  .out = in_place && out_in ? MPI_IN_PLACE : a->out };
  if (!coll_may_be_uneven(k)) return true;
  b->counts = runtime_allocate(4 * sizeof *b->counts * (size_t)a->size);
  b->displs = b->counts + a->size;
  b->sent = b->displs + a->size;
  b->sent_displs = b->sent + a->size;
  for (int i = 0; i < a->size; i++) {
    coll_span block = k == COLL_REDUCE_SCATTER ? coll_rank_part(a, i)
                      : k == COLL_ALLTOALLV    ? coll_received_block(a, rank, i)
                                               : coll_rank_block(a, i);
    coll_span sent = k == COLL_ALLTOALLV ? coll_sent_block(a, rank, i) : (coll_span){ 0, 0 };
    b->counts[i] = (int)block.count;
    b->displs[i] = (int)block.first;
    b->sent[i] = (int)sent.count;
    b->sent_displs[i] = (int)sent.first;
  }
  if (k != COLL_REDUCE_SCATTER && k != COLL_ALLTOALLV) b->n = b->counts[rank];
  return true;
}

int builtin_run(const builtin *b) {
  switch (b->collective) {
    case COLL_BCAST: return MPI_Bcast(b->out, b->n, b->type, b->root, b->comm);
    case COLL_REDUCE: return MPI_Reduce(b->in, b->out, b->n, b->type, b->op, b->root, b->comm);
    case COLL_SCATTER: return MPI_Scatter(b->in, b->n, b->type, b->out, b->n, b->type, b->root, b->comm);
    case COLL_GATHER: return MPI_Gather(b->in, b->n, b->type, b->out, b->n, b->type, b->root, b->comm);
    case COLL_ALLGATHER: return MPI_Allgather(b->in, b->n, b->type, b->out, b->n, b->type, b->comm);
    case COLL_REDUCE_SCATTER: return MPI_Reduce_scatter(b->in, b->out, b->counts, b->type, b->op, b->comm);
    case COLL_REDUCE_SCATTER_BLOCK: return MPI_Reduce_scatter_block(b->in, b->out, b->n, b->type, b->op, b->comm);
    case COLL_ALLREDUCE: return MPI_Allreduce(b->in, b->out, b->n, b->type, b->op, b->comm);
    case COLL_BARRIER: return MPI_Barrier(b->comm);
    case COLL_ALLTOALL: return MPI_Alltoall(b->in, b->n, b->type, b->out, b->n, b->type, b->comm);
    case COLL_SCAN: return MPI_Scan(b->in, b->out, b->n, b->type, b->op, b->comm);
    case COLL_EXSCAN: return MPI_Exscan(b->in, b->out, b->n, b->type, b->op, b->comm);
    case COLL_GATHERV:
      return MPI_Gatherv(b->in, b->n, b->type, b->out, b->counts, b->displs, b->type, b->root, b->comm);
    case COLL_SCATTERV:
      return MPI_Scatterv(b->in, b->counts, b->displs, b->type, b->out, b->n, b->type, b->root, b->comm);
    case COLL_ALLGATHERV: return MPI_Allgatherv(b->in, b->n, b->type, b->out, b->counts, b->displs, b->type, b->comm);
    case COLL_ALLTOALLV:
      return MPI_Alltoallv(b->in, b->sent, b->sent_displs, b->type, b->out, b->counts, b->displs, b->type, b->comm);
    default: return MPI_ERR_OTHER;
  }
}

int builtin_start(const builtin *b, MPI_Request *r) {
  switch (b->collective) {
    case COLL_BCAST: return MPI_Ibcast(b->out, b->n, b->type, b->root, b->comm, r);
    case COLL_REDUCE: return MPI_Ireduce(b->in, b->out, b->n, b->type, b->op, b->root, b->comm, r);
    case COLL_SCATTER: return MPI_Iscatter(b->in, b->n, b->type, b->out, b->n, b->type, b->root, b->comm, r);
    case COLL_GATHER: return MPI_Igather(b->in, b->n, b->type, b->out, b->n, b->type, b->root, b->comm, r);
    case COLL_ALLGATHER: return MPI_Iallgather(b->in, b->n, b->type, b->out, b->n, b->type, b->comm, r);
    case COLL_REDUCE_SCATTER: return MPI_Ireduce_scatter(b->in, b->out, b->counts, b->type, b->op, b->comm, r);
    case COLL_REDUCE_SCATTER_BLOCK: return MPI_Ireduce_scatter_block(b->in, b->out, b->n, b->type, b->op, b->comm, r);
    case COLL_ALLREDUCE: return MPI_Iallreduce(b->in, b->out, b->n, b->type, b->op, b->comm, r);
    case COLL_BARRIER: return MPI_Ibarrier(b->comm, r);
    case COLL_ALLTOALL: return MPI_Ialltoall(b->in, b->n, b->type, b->out, b->n, b->type, b->comm, r);
    case COLL_SCAN: return MPI_Iscan(b->in, b->out, b->n, b->type, b->op, b->comm, r);
    case COLL_EXSCAN: return MPI_Iexscan(b->in, b->out, b->n, b->type, b->op, b->comm, r);
    case COLL_GATHERV:
      return MPI_Igatherv(b->in, b->n, b->type, b->out, b->counts, b->displs, b->type, b->root, b->comm, r);
    case COLL_SCATTERV:
      return MPI_Iscatterv(b->in, b->counts, b->displs, b->type, b->out, b->n, b->type, b->root, b->comm, r);
    case COLL_ALLGATHERV:
      return MPI_Iallgatherv(b->in, b->n, b->type, b->out, b->counts, b->displs, b->type, b->comm, r);
    case COLL_ALLTOALLV:
      return MPI_Ialltoallv(b->in, b->sent, b->sent_displs, b->type, b->out, b->counts, b->displs, b->type, b->comm, r);
    default: return MPI_ERR_OTHER;
  }
}

void builtin_close(builtin *b) { free(b->counts); }
