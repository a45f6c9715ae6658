/* In front of calls.c: each of its collectives as a non-blocking call or, with -DPERSISTENT, as a persistent one that is started once, and
 * waited for in each way that MPI has, alone and among other requests. */
#ifndef COLLSCOPE_TESTS_PRELOAD_ENDED_H
#define COLLSCOPE_TESTS_PRELOAD_ENDED_H

#include <mpi.h>
#include <stddef.h>
#ifdef PERSISTENT
#include "tests/preload/persistent.h"
#endif

/* MPICH 4.3.2's MPI_Testall returns MPI_ERR_IN_STATUS for persistent collectives of its own that are over and well. */
#if defined(PERSISTENT) && defined(MPICH_VERSION)
#define TESTALL_IS_WRONG 1
#else
#define TESTALL_IS_WRONG 0
#endif

/* ours stands among a receive from this rank itself, its send, and nothing. */
static int ended_among(MPI_Request *ours, int style) {
  int got, sent = 5, through = 0, index[4], code = MPI_SUCCESS, flag;
  MPI_Request all[4] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, *ours, MPI_REQUEST_NULL };
  MPI_Status status[4];
  MPI_Irecv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &all[0]);
  MPI_Isend(&sent, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &all[3]);
  for (int i = 0; i < 4; i++) status[i].MPI_ERROR = MPI_SUCCESS;
  if (style == 3 && TESTALL_IS_WRONG) style = 0;
  for (int left = 3; left && !code; left -= through) {
    through = 0;
    switch (style) {
      case 0: code = MPI_Waitall(4, all, status), through = 3; break;
      case 1: code = MPI_Waitany(4, all, index, status), through = 1; break;
      case 2: code = MPI_Waitsome(4, all, &through, index, status); break;
      case 3: code = MPI_Testall(4, all, &flag, status), through = flag ? 3 : 0; break;
      case 4: code = MPI_Testany(4, all, index, &flag, status), through = flag; break;
      default: code = MPI_Testsome(4, all, &through, index, status);
    }
    if (through == MPI_UNDEFINED) return MPI_ERR_REQUEST; /* fewer were active than there should be */
  }
  for (int i = 0; i < 4 && code == MPI_ERR_IN_STATUS; i++)
    if (status[i].MPI_ERROR != MPI_SUCCESS && status[i].MPI_ERROR != MPI_ERR_PENDING) code = status[i].MPI_ERROR;
  *ours = all[2];
  return code;
}

static int ended(MPI_Request *r) {
  static int style;
  int flag = 0, code = MPI_SUCCESS;
  switch (style++ % 9) {
    case 0: return MPI_Wait(r, MPI_STATUS_IGNORE);
    case 1:
      while (!flag && !code) code = MPI_Test(r, &flag, MPI_STATUS_IGNORE);
      return code;
    case 2:
      while (!flag) MPI_Request_get_status(*r, &flag, MPI_STATUS_IGNORE);
      return MPI_Wait(r, MPI_STATUS_IGNORE);
    default: return ended_among(r, style % 9 - 4 < 0 ? 5 : style % 9 - 4);
  }
}

#ifdef PERSISTENT
static int started(int made, MPI_Request *r) {
  if (made) return made;
  int code = MPI_Start(r);
  if (!code) code = ended(r);
  if (*r != MPI_REQUEST_NULL) MPI_Request_free(r); /* an error may have done so */
  return code;
}
#define CALL(i, init, ...)                                           \
  ({                                                                 \
    MPI_Request made_;                                               \
    started(INIT(init)(__VA_ARGS__, MPI_INFO_NULL, &made_), &made_); \
  })
#else
#define CALL(i, init, ...)                     \
  ({                                           \
    MPI_Request begun_;                        \
    int code_ = MPI_##i(__VA_ARGS__, &begun_); \
    code_ ? code_ : ended(&begun_);            \
  })
#endif

#define MPI_Barrier(...) CALL(Ibarrier, Barrier, __VA_ARGS__)
#define MPI_Bcast(...) CALL(Ibcast, Bcast, __VA_ARGS__)
#define MPI_Gather(...) CALL(Igather, Gather, __VA_ARGS__)
#define MPI_Scatter(...) CALL(Iscatter, Scatter, __VA_ARGS__)
#define MPI_Allgather(...) CALL(Iallgather, Allgather, __VA_ARGS__)
#define MPI_Alltoall(...) CALL(Ialltoall, Alltoall, __VA_ARGS__)
#define MPI_Reduce(...) CALL(Ireduce, Reduce, __VA_ARGS__)
#define MPI_Allreduce(...) CALL(Iallreduce, Allreduce, __VA_ARGS__)
#define MPI_Scan(...) CALL(Iscan, Scan, __VA_ARGS__)
#define MPI_Exscan(...) CALL(Iexscan, Exscan, __VA_ARGS__)
#define MPI_Reduce_scatter(...) CALL(Ireduce_scatter, Reduce_scatter, __VA_ARGS__)
#define MPI_Gatherv(...) CALL(Igatherv, Gatherv, __VA_ARGS__)
#define MPI_Scatterv(...) CALL(Iscatterv, Scatterv, __VA_ARGS__)
#define MPI_Allgatherv(...) CALL(Iallgatherv, Allgatherv, __VA_ARGS__)
#define MPI_Alltoallv(...) CALL(Ialltoallv, Alltoallv, __VA_ARGS__)
#define MPI_Alltoallw(...) CALL(Ialltoallw, Alltoallw, __VA_ARGS__)
#define MPI_Neighbor_allgather(...) CALL(Ineighbor_allgather, Neighbor_allgather, __VA_ARGS__)
#define MPI_Neighbor_allgatherv(...) CALL(Ineighbor_allgatherv, Neighbor_allgatherv, __VA_ARGS__)
#define MPI_Neighbor_alltoall(...) CALL(Ineighbor_alltoall, Neighbor_alltoall, __VA_ARGS__)
#define MPI_Neighbor_alltoallv(...) CALL(Ineighbor_alltoallv, Neighbor_alltoallv, __VA_ARGS__)
#define MPI_Neighbor_alltoallw(...) CALL(Ineighbor_alltoallw, Neighbor_alltoallw, __VA_ARGS__)
#define MPI_Reduce_scatter_block(...) CALL(Ireduce_scatter_block, Reduce_scatter_block, __VA_ARGS__)

#endif
