/* MPI's collective functions that only begin a call: non-blocking ones, and those that make persistent requests. */
#include "preload/persistent.h"
#include "preload/table.h"

#define NONBLOCKING(name, i, at, ...) \
  FUNCTION(MPI_##i, PMPI_##i, session_start(comm, &p, PLANS_NONBLOCKING, request), COUNTS_NONBLOCKING + at, __VA_ARGS__)
#define PERSISTENT(own_name, name, at, ...) \
  FUNCTION(name, own_name, session_start(comm, &p, PLANS_PERSISTENT, request), COUNTS_PERSISTENT + at, __VA_ARGS__)
#define OF_PERSISTENT(name, i, at, ...) PERSISTENT(SECOND_NAME(name##_init), FIRST_NAME(name##_init), at, __VA_ARGS__)

#define COUNT int
#define AT int
#define TAIL , MPI_Request *request
#define LAST , request
EACH(NONBLOCKING)
EACH_WITHOUT_COUNTS(NONBLOCKING)
#undef TAIL
#undef LAST
#ifdef HAS_PERSISTENT
#define TAIL , MPI_Info info, MPI_Request *request
#define LAST , info, request
EACH(OF_PERSISTENT)
EACH_WITHOUT_COUNTS(OF_PERSISTENT)
#undef TAIL
#undef LAST
#endif
#undef COUNT
#undef AT

#if MPI_VERSION >= 4
#define COUNT MPI_Count
#define AT MPI_Aint
#define TAIL , MPI_Request *request
#define LAST , request
#define LARGE(name, i, at, ...) NONBLOCKING(name, i##_c, at, __VA_ARGS__)
EACH(LARGE)
#undef TAIL
#undef LAST
#define TAIL , MPI_Info info, MPI_Request *request
#define LAST , info, request
#define LARGE_PERSISTENT(name, i, at, ...) PERSISTENT(PMPI_##name##_init_c, MPI_##name##_init_c, at, __VA_ARGS__)
EACH(LARGE_PERSISTENT)
#endif

/* ---- persistent requests ------------------------------------------------------------------------------ */

#ifdef HAS_PERSISTENT
PUBLIC int MPI_Start(MPI_Request *request) {
  if (!progress_persistent) return PMPI_Start(request);
  MPI_Request started = *request;
  int code = PMPI_Start(request);
  if (code == MPI_SUCCESS) persistent_start(&started, 1);
  return code;
}

PUBLIC int MPI_Startall(int n, MPI_Request *requests) {
  if (!progress_persistent) return PMPI_Startall(n, requests);
  int code = PMPI_Startall(n, requests);
  if (code == MPI_SUCCESS) persistent_start(requests, n);
  return code;
}

PUBLIC int MPI_Request_free(MPI_Request *request) {
  if (progress_persistent) persistent_release(*request);
  return PMPI_Request_free(request);
}
#endif

/* ---- what the program frees meanwhile ------------------------------------------------------------------ */

/* A type or an operator that calls under way, or persistent ones, may still use: MPI's own would keep it. */
PUBLIC int MPI_Type_free(MPI_Datatype *type) {
  if (!progress_known || !type || *type == MPI_DATATYPE_NULL || layout_is_named(*type)) return PMPI_Type_free(type);
  progress_free_type(*type);
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

PUBLIC int MPI_Op_free(MPI_Op *op) {
  if (!progress_known || !op || *op == MPI_OP_NULL || operators_is_predefined(*op)) return PMPI_Op_free(op);
  progress_free_operator(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}
