/* Persistent collectives by the names that this MPI has for them. */
#ifndef COLLSCOPE_TESTS_PRELOAD_PERSISTENT_H
#define COLLSCOPE_TESTS_PRELOAD_PERSISTENT_H

#include <mpi.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION == 4
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define HAS_PERSISTENT
#define INIT(function) MPIX_##function##_init
#endif
#elif defined(OPEN_MPI) ? OMPI_MAJOR_VERSION > 4 : MPI_VERSION >= 4
#define HAS_PERSISTENT
#define INIT(function) MPI_##function##_init
#endif

#endif
