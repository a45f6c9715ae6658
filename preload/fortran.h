/* MPI's functions as programs in Fortran call them. Open MPI's own go to PMPI_…, past the functions for C; those of mpi_f08 go to ompi_…_f,
 * those of mpif.h and of the module mpi to mpi_…, in the spelling of their compiler. */
#ifndef COLLSCOPE_PRELOAD_FORTRAN_H
#define COLLSCOPE_PRELOAD_FORTRAN_H

#include <mpi.h>

#define PUBLIC __attribute__((visibility("default")))

/* Where Fortran's constants lie: the program's language says them by address. One per spelling; a program has one of these, or none. */
#define CONSTANTS(name)                       \
  extern char name##_ __attribute__((weak));  \
  extern char name##__ __attribute__((weak)); \
  extern char name __attribute__((weak));
CONSTANTS(mpi_fortran_in_place)
CONSTANTS(mpi_fortran_bottom)
#define IS(buffer, name) ((buffer) && ((buffer) == &name || (buffer) == &name##_ || (buffer) == &name##__))

static inline void *buffer_of(char *buffer) {
  if (IS(buffer, mpi_fortran_in_place)) return MPI_IN_PLACE;
  return IS(buffer, mpi_fortran_bottom) ? MPI_BOTTOM : buffer;
}

/* The function by its five names: MPI's are mpi_… and MPI_…, Open MPI's own mpix_…. */
#define FORTRAN_OF(mpi, MPI, lower, UPPER, parameters, call)                                 \
  PUBLIC void o##mpi##_##lower##_f parameters;                                               \
  PUBLIC void mpi##_##lower parameters __attribute__((alias("o" #mpi "_" #lower "_f")));     \
  PUBLIC void mpi##_##lower##_ parameters __attribute__((alias("o" #mpi "_" #lower "_f")));  \
  PUBLIC void mpi##_##lower##__ parameters __attribute__((alias("o" #mpi "_" #lower "_f"))); \
  PUBLIC void MPI##_##UPPER parameters __attribute__((alias("o" #mpi "_" #lower "_f")));     \
  void o##mpi##_##lower##_f parameters {                                                     \
    int code = call;                                                                         \
    if (error) *error = (MPI_Fint)code;                                                      \
  }
#define FORTRAN(lower, UPPER, parameters, call) FORTRAN_OF(mpi, MPI, lower, UPPER, parameters, call)
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "counts of Fortran are counts of C");

#define TYPE(t) PMPI_Type_f2c(*(t))
#define COMM PMPI_Comm_f2c(*comm)

#endif
