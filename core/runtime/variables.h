/* Variables of an MPI library, by MPI's tool interface. Needs nothing but MPI, so that tools can be built with any library. */
#ifndef COLLSCOPE_CORE_RUNTIME_VARIABLES_H
#define COLLSCOPE_CORE_RUNTIME_VARIABLES_H

#include <mpi.h>
#include <stdbool.h>

/* Sets a whole number; *before: what it was. False: the library has no such variable, or does not let it be set. */
static inline bool variable_exchange(const char *name, int value, int *before) {
  int index, count;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(name, &index) || MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) return false;
  bool done = !MPI_T_cvar_read(handle, before) && !MPI_T_cvar_write(handle, &value);
  MPI_T_cvar_handle_free(&handle);
  return done;
}

#endif
