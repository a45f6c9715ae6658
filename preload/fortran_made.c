/* Functions that make communicators by their names in Fortran: MPI's own for Fortran, then ours is made. */
#include "preload/fortran.h"
#include "preload/interposed.h"

#ifdef OPEN_MPI

/* The second names exist where the program is in Fortran. */
#define MAKES(lower, UPPER, parameters, arguments)              \
  extern void pmpi_##lower##_ parameters __attribute__((weak)); \
  FORTRAN(lower, UPPER, parameters, (pmpi_##lower##_ arguments, made_of(made, error)))

static int made_of(const MPI_Fint *made, const MPI_Fint *error) {
  MPI_Comm comm = PMPI_Comm_f2c(*made);
  return session_made(error ? *error : MPI_SUCCESS, &comm);
}

/* clang-format off: a table */
#define IN(name) MPI_Fint *name
MAKES(comm_dup, COMM_DUP, (IN(comm), IN(made), IN(error)), (comm, made, error))
MAKES(comm_dup_with_info, COMM_DUP_WITH_INFO, (IN(comm), IN(info), IN(made), IN(error)), (comm, info, made, error))
MAKES(comm_create, COMM_CREATE, (IN(comm), IN(group), IN(made), IN(error)), (comm, group, made, error))
MAKES(comm_create_group, COMM_CREATE_GROUP, (IN(comm), IN(group), IN(tag), IN(made), IN(error)),
      (comm, group, tag, made, error))
MAKES(comm_split, COMM_SPLIT, (IN(comm), IN(color), IN(key), IN(made), IN(error)), (comm, color, key, made, error))
MAKES(comm_split_type, COMM_SPLIT_TYPE, (IN(comm), IN(type), IN(key), IN(info), IN(made), IN(error)),
      (comm, type, key, info, made, error))
MAKES(intercomm_merge, INTERCOMM_MERGE, (IN(comm), IN(high), IN(made), IN(error)), (comm, high, made, error))
MAKES(cart_create, CART_CREATE, (IN(comm), IN(n), IN(dims), IN(periods), IN(reorder), IN(made), IN(error)),
      (comm, n, dims, periods, reorder, made, error))
MAKES(cart_sub, CART_SUB, (IN(comm), IN(dims), IN(made), IN(error)), (comm, dims, made, error))
MAKES(graph_create, GRAPH_CREATE, (IN(comm), IN(n), IN(index), IN(edges), IN(reorder), IN(made), IN(error)),
      (comm, n, index, edges, reorder, made, error))
MAKES(dist_graph_create, DIST_GRAPH_CREATE,
      (IN(comm), IN(n), IN(nodes), IN(degrees), IN(targets), IN(weights), IN(info), IN(reorder), IN(made), IN(error)),
      (comm, n, nodes, degrees, targets, weights, info, reorder, made, error))
MAKES(dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT,
      (IN(comm), IN(n), IN(from), IN(weights), IN(m), IN(to), IN(other), IN(info), IN(reorder), IN(made), IN(error)),
      (comm, n, from, weights, m, to, other, info, reorder, made, error))
/* clang-format on */

#endif
