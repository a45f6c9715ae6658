/* MPI's collective functions as the program calls them, and the beginning and end of everything. */
#include "preload/table.h"

#define TAIL
#define LAST

#define COUNT int
#define AT int
#define BLOCKING(name, i, at, ...) FUNCTION(MPI_##name, PMPI_##name, session_serve(comm, &p), at, __VA_ARGS__)
EACH(BLOCKING)
EACH_WITHOUT_COUNTS(BLOCKING)
#undef COUNT
#undef AT

#if MPI_VERSION >= 4
#define COUNT MPI_Count
#define AT MPI_Aint
#define LARGE(name, i, at, ...) FUNCTION(MPI_##name##_c, PMPI_##name##_c, session_serve(comm, &p), at, __VA_ARGS__)
EACH(LARGE)
#endif

/* ---- beginning and end -------------------------------------------------------------------------------- */

PUBLIC int MPI_Init(int *argc, char ***argv) {
  session_fits();
  int provided;
  int code = session_needs_threads() ? PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                                     : PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) session_begin();
  return code;
}

PUBLIC int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  session_fits();
  int code = PMPI_Init_thread(argc, argv, session_needs_threads() ? MPI_THREAD_MULTIPLE : required, provided);
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
