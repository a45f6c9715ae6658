/* Persistent collective requests: MPI 4's, or Open MPI 4's under names of its own. */
#ifndef COLLSCOPE_PRELOAD_PERSISTENT_H
#define COLLSCOPE_PRELOAD_PERSISTENT_H

#include <mpi.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION == 4
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define HAS_PERSISTENT
#define FIRST_NAME(function) MPIX_##function
#define SECOND_NAME(function) PMPIX_##function
#endif
#elif defined(OPEN_MPI) ? OMPI_MAJOR_VERSION > 4 : MPI_VERSION >= 4
#define HAS_PERSISTENT
#define FIRST_NAME(function) MPI_##function
#define SECOND_NAME(function) PMPI_##function
#endif

/* MPI has started these requests: those that are ours begin. */
void persistent_start(const MPI_Request *, int n);
void persistent_release(MPI_Request); /* the program is about to free it */

#endif
