#include "driver.h"

#include <stdlib.h>

#include "patterns/block.h"

bool builtin_run(MPI_Comm comm, coll_collective k, const coll_args *a, MPI_Datatype type, MPI_Op op) {
  int rank, n = (int)a->count;
  MPI_Comm_rank(comm, &rank);
  bool root_in_place = a->in_place && rank == a->root;
  const void *in = a->in_place ? MPI_IN_PLACE : a->in;
  switch (k) {
    case COLL_BCAST: MPI_Bcast(a->out, n, type, a->root, comm); return true;
    case COLL_REDUCE: MPI_Reduce(root_in_place ? MPI_IN_PLACE : a->in, a->out, n, type, op, a->root, comm); return true;
    case COLL_SCATTER: MPI_Scatter(a->in, n, type, root_in_place ? MPI_IN_PLACE : a->out, n, type, a->root, comm); return true;
    case COLL_GATHER: MPI_Gather(root_in_place ? MPI_IN_PLACE : a->in, n, type, a->out, n, type, a->root, comm); return true;
    case COLL_ALLGATHER: MPI_Allgather(in, n, type, a->out, n, type, comm); return true;
    case COLL_REDUCE_SCATTER: {
      int *counts = malloc(sizeof(int) * (size_t)a->size);
      for (int i = 0; i < a->size; i++) counts[i] = (int)coll_block(a->count, a->size, i).count;
      MPI_Reduce_scatter(in, a->out, counts, type, op, comm);
      free(counts);
      return true;
    }
    case COLL_REDUCE_SCATTER_BLOCK: MPI_Reduce_scatter_block(in, a->out, n, type, op, comm); return true;
    case COLL_ALLREDUCE: MPI_Allreduce(in, a->out, n, type, op, comm); return true;
    case COLL_BARRIER: MPI_Barrier(comm); return true;
    case COLL_ALLTOALL: MPI_Alltoall(in, n, type, a->out, n, type, comm); return true;
    case COLL_SCAN: MPI_Scan(in, a->out, n, type, op, comm); return true;
    case COLL_EXSCAN: MPI_Exscan(in, a->out, n, type, op, comm); return true;
    default: return false;
  }
}
