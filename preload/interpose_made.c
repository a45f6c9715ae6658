/* Functions that make communicators: non-blocking collectives on them need one of ours, and must not wait until it is there. */
#include "preload/interposed.h"

#define MAKES(name, parameters, arguments) \
  PUBLIC int MPI_##name parameters { return session_made(PMPI_##name arguments, made); }

/* clang-format off: a table */
MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKES(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made), (comm, type, key, info, made))
MAKES(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))
MAKES(Cart_create, (MPI_Comm comm, int n, const int *dims, const int *periods, int reorder, MPI_Comm *made),
      (comm, n, dims, periods, reorder, made))
MAKES(Cart_sub, (MPI_Comm comm, const int *dims, MPI_Comm *made), (comm, dims, made))
MAKES(Graph_create, (MPI_Comm comm, int n, const int *index, const int *edges, int reorder, MPI_Comm *made),
      (comm, n, index, edges, reorder, made))
MAKES(Dist_graph_create,
      (MPI_Comm comm, int n, const int *nodes, const int *degrees, const int *targets, const int *weights,
       MPI_Info info, int reorder, MPI_Comm *made),
      (comm, n, nodes, degrees, targets, weights, info, reorder, made))
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm comm, int n, const int *from, const int *weights, int m, const int *to, const int *other, MPI_Info info,
       int reorder, MPI_Comm *made),
      (comm, n, from, weights, m, to, other, info, reorder, made))
/* clang-format on */
